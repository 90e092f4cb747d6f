import { resolve } from 'node:path';
import type { Command, Redirection, SyntaxNode } from 'unbash';
import { findForkBombs, readFunction, type ScriptFunction } from './fork-bomb.ts';
import { printedBy } from './printed-text.ts';
import type { ShellCommand, ShellReading, ShellRedirect } from './shell-command.ts';
import { commandWords, isComputed, isComputedName, type Variables, wordText } from './shell-words.ts';
import { executableName, type Inner, isWrapper, SHELLS, suspectedCommands, unwrap } from './unwrap.ts';

export type ShellParser = Pick<typeof import('unbash'), 'parse' | 'forEachChild'>;

/** Where a reading begins, and which names are worth a second look. */
export type ReadingStart = {
  home: string;
  directory: string;
  isDangerous(name: string): boolean;
  isHarmless(name: string): boolean;
};

/** What flows into a command from its pipeline. */
type Feed = { names: string[]; text: string | undefined };
/** Where in the script the reader is. Siblings share a place, so that an assignment or `cd` holds for what follows. */
type Place = { variables: Map<string, string>; directory: string; depth: number; source: string; feed: Feed };
type Reader = { parser: ShellParser; reading: ShellReading; start: ReadingStart; functions: ScriptFunction[] };
type Surroundings = Omit<ShellCommand, 'name' | 'args' | 'computedName' | 'suspected'>;

const MAX_DEPTH = 12;
/** Redirections alone. */
const NO_COMMAND = { name: '', args: [], computedName: false, suspected: false };
const NO_FEED: Feed = { names: [], text: undefined };

/** Takes a command line apart into the simple commands that would run, wherever they hide. */
export function readShell(parser: ShellParser, source: string, start: ReadingStart): ShellReading {
  const reading: ShellReading = { commands: [], forkBombs: [], problems: [] };
  const variables = new Map([
    ['HOME', start.home],
    ['PWD', start.directory],
  ]);
  const place = { variables, directory: start.directory, depth: 0, source, feed: NO_FEED };
  const functions: ScriptFunction[] = [];
  readScript({ parser, reading, start, functions }, source, place);
  // Only at the end, because a function may call one that comes later.
  reading.forkBombs.push(...findForkBombs(functions));
  return reading;
}

/** A script inside a script is read with what is known at its place. Depth is limited: `eval eval …` has no end. */
function readScript(reader: Reader, text: string, place: Place): void {
  if (place.depth > MAX_DEPTH) {
    reader.reading.problems.push('commands nested too deeply');
    return;
  }
  visit(reader, reader.parser.parse(text), { ...place, source: text, depth: place.depth + 1 });
}

function visit(reader: Reader, node: SyntaxNode, place: Place): void {
  const { reading, parser } = reader;
  let inside = place;
  switch (node.type) {
    case 'Script':
      reading.problems.push(...(node.errors ?? []).map((error) => error.message));
      // An escaped backtick script has a text of its own, which its positions point into.
      if (node.source !== undefined) inside = { ...place, source: node.source };
      break;
    case 'Pipeline':
      visitPipeline(reader, node, place);
      return;
    case 'Function':
      reader.functions.push(readFunction(parser, node, place.source));
      break;
    case 'Assignment':
      if (node.value.type === 'Word') place.variables.set(node.name, wordText(node.value, place.variables));
      break;
    case 'Redirected':
      reading.commands.push({ ...NO_COMMAND, ...surroundings(reader, node, place) });
      break;
    case 'Subshell':
      inside = { ...place };
      break;
    case 'Command':
      readCommand(reader, node, place);
      inside = { ...place, feed: NO_FEED };
      break;
  }
  parser.forEachChild(node, (child) => visit(reader, child, inside));
}

/** Each part of a pipeline runs in a process of its own, so a `cd` in one does not reach the next. */
function visitPipeline(reader: Reader, node: Extract<SyntaxNode, { type: 'Pipeline' }>, place: Place): void {
  let { feed } = place;
  for (const command of node.commands) {
    visit(reader, command, { ...place, feed });
    const names = namesIn(reader.parser, command, place.variables);
    feed = { names: [...feed.names, ...names], text: printedText(command, place.variables, feed) };
  }
}

/** A literal `cd` moves what follows; one that is only known at run time leaves the folder as it was. */
function readCommand(reader: Reader, node: Command, place: Place): void {
  const words = commandWords(node, place.variables);
  addCommand(reader, words, surroundings(reader, node, place), place);
  const [name, target] = words;
  if (name === 'cd' || name === 'pushd') {
    const folder = target ?? reader.start.home;
    if (!isComputed(folder)) place.directory = resolve(place.directory, folder);
  }
}

/** Everything about a command except its words. */
function surroundings(
  { parser }: Reader,
  node: { redirects: readonly Redirection[]; pos: number; end: number } & SyntaxNode,
  place: Place,
): Surroundings {
  return {
    redirects: node.redirects.flatMap((redirect) => readRedirect(redirect, place.variables)),
    input: givenInput(node.redirects, place.variables) ?? place.feed.text,
    fedBy: [...place.feed.names, ...substitutedNames(parser, node, place.variables)],
    directory: place.directory,
    source: place.source.slice(node.pos, node.end),
  };
}

/** Keeps the command itself and what it wraps: `xargs rm` is judged as xargs and as rm. */
function addCommand(reader: Reader, words: string[], around: Surroundings, place: Place, suspected = false): void {
  const { isDangerous, isHarmless } = reader.start;
  const [word = '', ...args] = words;
  const name = executableName(word);
  reader.reading.commands.push({ ...around, name, args, computedName: isComputedName(name), suspected });
  for (const inner of unwrap(words)) readInner(reader, inner, around, place);
  if (!isWrapper(name) && !isDangerous(name) && !isHarmless(name)) {
    for (const inner of suspectedCommands(words, isDangerous)) addCommand(reader, inner, around, place, true);
  }
  if (around.input !== undefined && readsScriptFromInput(name, args)) {
    readScript(reader, around.input, { ...place, feed: NO_FEED });
  }
}

/** A shell without a script to run takes one from its standard input. */
function readsScriptFromInput(name: string, args: readonly string[]): boolean {
  const operands = args.filter((arg) => arg !== '-' && arg !== '/dev/stdin');
  return SHELLS.has(name) && operands.every((arg) => arg.startsWith('-') && !/^-[a-z]*c/.test(arg));
}

function readInner(reader: Reader, inner: Inner, around: Surroundings, place: Place): void {
  if ('script' in inner) readScript(reader, inner.script, place);
  else if (place.depth > MAX_DEPTH) reader.reading.problems.push('commands nested too deeply');
  else addCommand(reader, inner.words, around, { ...place, depth: place.depth + 1 });
}

/** The names of all commands below a node, wrappers and what they wrap. */
function namesIn(parser: ShellParser, node: SyntaxNode, variables: Variables): string[] {
  const names: string[] = [];
  const collect = (child: SyntaxNode): void => {
    if (child.type === 'Command' && child.name) names.push(...namesOf(commandWords(child, variables)));
    parser.forEachChild(child, collect);
  };
  collect(node);
  return names;
}

/** The outermost name and those inside, so that `sudo curl` counts as curl. */
function namesOf(words: readonly string[]): string[] {
  const inner = unwrap(words).flatMap((found) => ('words' in found ? namesOf(found.words) : []));
  return [executableName(words[0] ?? ''), ...inner];
}

/** Names of the commands whose output becomes an argument or a file of this one. */
function substitutedNames(parser: ShellParser, node: SyntaxNode, variables: Variables): string[] {
  const names: string[] = [];
  const collect = (child: SyntaxNode): void => {
    if (child.type === 'CommandExpansion' || child.type === 'ProcessSubstitution') {
      names.push(...namesIn(parser, child, variables));
    } else parser.forEachChild(child, collect);
  };
  parser.forEachChild(node, collect);
  return names;
}

/** What a command prints, where that is plain to see; `cat` and `tee` hand on what they are given. */
function printedText(node: SyntaxNode, variables: Variables, feed: Feed): string | undefined {
  if (node.type !== 'Command' || !node.name) return undefined;
  const [name = '', ...args] = commandWords(node, variables);
  const printer = executableName(name);
  if (printer === 'cat' || printer === 'tee') return givenInput(node.redirects, variables) ?? feed.text;
  return printedBy(printer, args);
}

function readRedirect(redirect: Redirection, variables: Variables): ShellRedirect[] {
  if (redirect.type !== 'Redirect' || !redirect.target) return [];
  return [{ operator: redirect.operator, target: wordText(redirect.target, variables) }];
}

/** Text that stands in the script itself. */
function givenInput(redirects: readonly Redirection[], variables: Variables): string | undefined {
  for (const redirect of redirects) {
    if (redirect.type === 'HereDoc') return redirect.body.text;
    if (redirect.type === 'HereString' && redirect.target) return wordText(redirect.target, variables);
  }
  return undefined;
}
