import { join } from 'node:path';
import type { Command, Redirection, SyntaxNode, Word } from 'unbash';
import { commandInVariable } from './command-options.ts';
import { expandedVariables, isLiteral } from './expansions.ts';
import { findForkBombs, isForkLoop, readFunction } from './fork-bomb.ts';
import { isOwnName } from '../own-program/own-program.ts';
import { printedByWords } from './static-output.ts';
import { addCommand, type CommandContext } from './read-command.ts';
import {
  recordProblem,
  LIMITS,
  NO_PIPELINE_INPUT,
  type PipelineInput,
  type ReaderPosition,
  type Reader,
  type ReadingStart,
  type ShellParser,
  TOO_DEEP,
  TOO_MUCH,
} from './reader.ts';
import { executableName, quoteWords, type ShellReading, type ShellRedirect, type Source } from './shell-command.ts';
import { sourcesOf } from './unwrap.ts';
import { commandWords, expandRanges, type Scope, splitWord, wordText } from './words.ts';

/** A statement that consists only of redirects. */
const NO_COMMAND = {
  name: '',
  args: [],
  computedName: false,
  suspected: false,
  runs: undefined,
  code: undefined,
  starts: undefined,
};

/** Splits a command line into all simple commands that it would run, including nested ones. */
export function readShell(parser: ShellParser, source: string, start: ReadingStart): ShellReading {
  const reading: ShellReading = { commands: [], forkBombs: [], problems: [] };
  const variables = new Map([...start.variables, ['HOME', start.home]]);
  const place = { variables, directory: start.directory, depth: 0, source, pipelineInput: NO_PIPELINE_INPUT };
  const reader: Reader = {
    parser,
    reading,
    start,
    functions: [],
    bodies: new Map(),
    aliases: new Map(),
    files: new Map(),
    ownFiles: new Set(),
    copied: new Map(),
    fetched: [],
    printed: new Map(),
    systems: [],
    literals: new Set(),
    assigned: new Set(),
    budget: { commands: LIMITS.commands, characters: LIMITS.characters, words: LIMITS.words, runs: LIMITS.runs },
  };
  readScript(reader, source, {
    ...place,
    consumers: [],
    remote: undefined,
    suspected: false,
    calling: [],
    script: undefined,
    running: [],
  });
  // Checked at the end, because a function may call one that is defined later.
  reading.forkBombs.push(...findForkBombs(reader.functions));
  // A script that starts itself twice is a fork bomb.
  const itself = reading.commands.filter(({ name }) => /^\$(?:0|\{0\}|BASH_SOURCE|\{BASH_SOURCE)/.test(name));
  if (itself.length > 1) reading.forkBombs.push(source);
  return reading;
}

/** Reads a nested script with the variables known at this point. The depth is limited because of `eval eval …`. */
export function readScript(reader: Reader, text: string, place: ReaderPosition): void {
  reader.budget.characters -= text.length;
  if (place.depth > LIMITS.depth) return recordProblem(reader, TOO_DEEP);
  if (reader.budget.characters < 0) return recordProblem(reader, TOO_MUCH);
  const tree = reader.parser.parse(text);
  // A nested script that consists only of a substitution has already been read; other rules judge how its output is
  // used.
  if (place.depth > 0 && isOnlySubstitution(reader, tree, place)) return;
  visit(reader, tree, { ...place, source: text, depth: place.depth + 1 });
}

function isOnlySubstitution(reader: Reader, tree: ReturnType<ShellParser['parse']>, place: ReaderPosition): boolean {
  const [statement, ...others] = tree.commands;
  const command = statement?.command;
  if (others.length > 0 || command?.type !== 'Command' || command.suffix.length > 0) return false;
  const parts = command.name?.parts ?? [];
  return (
    parts.length === 1 && parts[0]?.type === 'CommandExpansion' && scopeAt(reader, place).output(parts[0]) === undefined
  );
}

export function visit(reader: Reader, node: SyntaxNode, place: ReaderPosition): void {
  const { reading, parser } = reader;
  if (reader.budget.commands < 0) return recordProblem(reader, TOO_MUCH);
  let inside = place;
  switch (node.type) {
    case 'Script':
      // Text that may not be a command is allowed to have syntax errors.
      if (!place.suspected) reading.problems.push(...(node.errors ?? []).map((error) => error.message));
      // A script in escaped backticks has its own source text, which its positions refer to.
      if (node.source !== undefined) inside = { ...place, source: node.source };
      break;
    case 'Pipeline':
      return visitPipeline(reader, node, place);
    case 'For':
    case 'Select':
      return visitFor(reader, node, place);
    case 'Function':
      reader.functions.push(readFunction(parser, node, place.source));
      reader.bodies.set(node.name.value, { node: node.body, source: place.source });
      inside = { ...place, calling: [...place.calling, node.name.value] };
      break;
    case 'Assignment':
      assign(reader, node, place);
      break;
    case 'Redirected':
      reading.commands.push({ ...NO_COMMAND, ...commandContext(reader, node, place) });
      inside = { ...place, pipelineInput: inputOfBlock(reader, node.redirects, place) };
      break;
    case 'Subshell':
      inside = { ...place };
      break;
    case 'Command':
      readCommand(reader, node, place);
      inside = { ...place, pipelineInput: NO_PIPELINE_INPUT, consumers: consumersIn(reader, node, place) };
      inside.writer = writerOf(reader, node, place);
      break;
    case 'ProcessSubstitution':
      if (node.operator === '>' && place.writer !== undefined) inside = { ...place, pipelineInput: place.writer };
      break;
    case 'CommandExpansion':
      if (place.consumers.length === 0) inside = { ...place, consumers: CAPTURED };
      break;
    case 'While':
    case 'ArithmeticFor':
      if (isForkLoop(parser, node)) reading.forkBombs.push(place.source.slice(node.pos, node.end));
      break;
  }
  parser.forEachChild(node, (child) => {
    // `readCommand` has already performed the assignments before a command; only their values still have to be
    // visited.
    if (node.type === 'Command' && child.type === 'Assignment' && node.prefix.includes(child)) {
      parser.forEachChild(child, (part) => visit(reader, part, inside));
    } else visit(reader, child, inside);
  });
}

/** The commands of `while …; done < file` read the file. */
function inputOfBlock(reader: Reader, redirects: readonly Redirection[], place: ReaderPosition): PipelineInput {
  const { pipelineInput, directory } = place;
  const args = filesGiven(reader, redirects, place);
  if (args.length === 0) return pipelineInput;
  return { ...pipelineInput, sources: [...pipelineInput.sources, { name: 'cat', args, directory }] };
}

/** The output of a substitution that no command receives, because it becomes the value of a variable. */
const CAPTURED = [[{ name: '=', args: [], directory: '' }]];

/** The consumers of substitutions among the words of a command: the command itself comes first. */
function consumersIn(reader: Reader, node: Command, place: ReaderPosition): ReaderPosition['consumers'] {
  const text = place.source.slice(node.pos, node.end);
  if (!/[$<]\(|`/.test(text)) return place.consumers;
  return [sourcesOf(commandWords(node, scopeAt(reader, place)), place.directory), ...place.consumers];
}

/** What a command with `>(…)` among its words passes to the commands in there. */
function writerOf(reader: Reader, node: Command, place: ReaderPosition): ReaderPosition['writer'] {
  const pipeline = place.source.slice(node.pos, node.end);
  if (!pipeline.includes('>(')) return undefined;
  const { pipelineInput } = place;
  const words = commandWords(node, scopeAt(reader, place));
  const text =
    printedText(reader, node, place) ?? (executableName(words[0] ?? '') === 'tee' ? pipelineInput.text : undefined);
  return { sources: [...pipelineInput.sources, ...sourcesOf(words, place.directory)], text, pipeline };
}

/** Each part of a pipeline runs in its own process, so a `cd` in one does not affect the next. */
function visitPipeline(reader: Reader, node: Extract<SyntaxNode, { type: 'Pipeline' }>, place: ReaderPosition): void {
  if (node.commands.length > LIMITS.pipeline) return recordProblem(reader, TOO_MUCH);
  let { pipelineInput } = place;
  const pipeline = place.source.slice(node.pos, node.end);
  const stages = node.commands.map((command) => sourcesIn(reader, command, place));
  for (const [index, command] of node.commands.entries()) {
    const consumers = [...stages.slice(index + 1), ...place.consumers];
    visit(reader, command, { ...place, pipelineInput, consumers });
    const sources = [...pipelineInput.sources, ...(stages[index] ?? [])];
    pipelineInput = { sources, text: printedText(reader, command, { ...place, pipelineInput }), pipeline };
  }
  reader.parser.forEachChild(node, (child) => {
    if (!node.commands.includes(child as (typeof node.commands)[number])) visit(reader, child, place);
  });
}

/** Reads the body once for each known word, so that `for c in rm; do $c …` is detected. Long lists are truncated. */
function visitFor(reader: Reader, node: Extract<SyntaxNode, { type: 'For' | 'Select' }>, place: ReaderPosition) {
  const scope = scopeAt(reader, place);
  for (const word of node.wordlist ?? []) visit(reader, word, place);
  notePrinted(reader, node.name.value, node.wordlist ?? [], place);
  reader.literals.delete(node.name.value);
  const values = (node.wordlist ?? []).flatMap((word) => splitWord(word, scope));
  const tries = values.slice(0, place.depth > 2 ? 3 : LIMITS.loop);
  for (const value of tries.length > 0 ? tries : [undefined]) {
    if (value === undefined) place.variables.delete(node.name.value);
    else place.variables.set(node.name.value, value);
    visit(reader, node.body, { ...place, depth: place.depth + 1 });
  }
}

/** Records which commands produce the value of a variable whose content is unknown. */
function notePrinted(reader: Reader, name: string, words: readonly Word[], place: ReaderPosition): void {
  const sources = words.flatMap((word) => substituted(reader, word, place));
  if (sources.length > 0) reader.printed.set(name, sources.slice(0, LIMITS.pipeline));
  else reader.printed.delete(name);
}

function assign(reader: Reader, node: Extract<SyntaxNode, { type: 'Assignment' }>, place: ReaderPosition): void {
  const { name, value } = node;
  const scope = scopeAt(reader, place);
  if (value.type !== 'Word') {
    const elements = value.elements.flatMap((word: Word) => splitWord(word, scope));
    place.variables.set(`${name}[@]`, elements.join(' '));
    place.variables.set(name, elements[0] ?? '');
    return;
  }
  const text = wordText(value, scope);
  notePrinted(reader, name, [value], place);
  if (!isLiteral(value)) reader.literals.delete(name);
  else if (node.append !== true) reader.literals.add(name);
  const whole = node.append === true ? (place.variables.get(name) ?? '') + text : text;
  // A value that doubles itself would exhaust the memory, so longer values count as unknown.
  if (whole.length > LIMITS.value) place.variables.delete(name);
  else place.variables.set(name, whole);
  const script = commandInVariable(name, text);
  if (script !== undefined) readScript(reader, script, { ...place, pipelineInput: NO_PIPELINE_INPUT });
}

/** Reads a simple command with its words expanded. */
function readCommand(reader: Reader, node: Command, place: ReaderPosition): void {
  // Assignments before a command are recorded, because they apply to the command and to a shell that it starts.
  for (const prefix of node.prefix) if (prefix.type === 'Assignment') assign(reader, prefix, place);
  const words = commandWords(node, scopeAt(reader, place));
  addCommand(reader, words, commandContext(reader, node, place, words), place);
}

/** Everything about a command except its words. */
function commandContext(
  reader: Reader,
  node: { redirects: readonly Redirection[]; pos: number; end: number } & SyntaxNode,
  place: ReaderPosition,
  words: readonly string[] = [],
): CommandContext {
  const redirects = node.redirects.flatMap((redirect) => readRedirect(reader, redirect, place));
  const variables =
    node.type === 'Command'
      ? node.prefix.flatMap((one) =>
          one.type === 'Assignment' ? [`${one.name}=${place.variables.get(one.name) ?? ''}`] : [],
        )
      : [];
  return {
    redirects,
    input: textGiven(reader, node.redirects, place) ?? substitutedFile(reader, node, place) ?? place.pipelineInput.text,
    fedBy: [...place.pipelineInput.sources, ...substituted(reader, node, place)],
    consumers: place.consumers,
    silent: node.redirects.some(isDiscard),
    expands: expandedVariables(reader, node, place),
    remote: place.remote,
    variables,
    directory: place.directory,
    script: place.script,
    source: place.source.slice(node.pos, node.end),
    pipeline: place.pipelineInput.pipeline,
    statement: quoteWords(words),
  };
}

/** `> /dev/null` and `&> /dev/null`, but not `2> /dev/null`. */
function isDiscard(redirect: Redirection): boolean {
  if (redirect.type !== 'Redirect' || redirect.target?.value !== '/dev/null') return false;
  return /^(?:>|>>|>\||&>|&>>|>&)$/.test(redirect.operator) && isStdout(redirect.descriptor);
}

function isStdout(descriptor: Extract<Redirection, { type: 'Redirect' }>['descriptor']): boolean {
  return descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 1);
}

/** The commands whose output becomes an argument or an input file of this one. */
function substituted(reader: Reader, node: SyntaxNode, place: ReaderPosition): Source[] {
  const found: Source[] = [];
  const collect = (child: SyntaxNode): void => {
    if (found.length > LIMITS.pipeline) return;
    if (child.type === 'ProcessSubstitution' && child.operator === '>') return;
    if (child.type === 'CommandExpansion' || child.type === 'ProcessSubstitution')
      found.push(...sourcesIn(reader, child, place));
    else if (child.type === 'SimpleExpansion') found.push(...(reader.printed.get(child.text.slice(1)) ?? []));
    else if (child.type === 'ParameterExpansion') found.push(...(reader.printed.get(child.parameter) ?? []));
    else if (!isBody(child)) reader.parser.forEachChild(child, collect);
  };
  reader.parser.forEachChild(node, collect);
  return found;
}

/** The content of a process substitution such as `<(echo …)` among the arguments, if it is known. */
function substitutedFile(reader: Reader, node: SyntaxNode, place: ReaderPosition): string | undefined {
  if (node.type !== 'Command') return undefined;
  for (const arg of node.args) {
    const part = arg.type === 'Word' ? arg.parts?.[0] : undefined;
    if (part?.type === 'ProcessSubstitution') return scopeAt(reader, place).output(part);
  }
  return undefined;
}

/** Substitutions occur only in words; the commands of a block are visited separately. */
function isBody(node: SyntaxNode): boolean {
  return node.type === 'CompoundList' || node.type === 'Statement';
}

function readRedirect(reader: Reader, redirect: Redirection, place: ReaderPosition): ShellRedirect[] {
  if (redirect.type !== 'Redirect' || !redirect.target) return [];
  const targets = expandRanges(wordText(redirect.target, scopeAt(reader, place))).slice(0, LIMITS.loop);
  return targets.map((target) => ({ operator: redirect.operator, target }));
}

/** The files that redirects give to a command as its input. */
function filesGiven(reader: Reader, redirects: readonly Redirection[], place: ReaderPosition): string[] {
  return redirects
    .flatMap((redirect) => readRedirect(reader, redirect, place))
    .filter(({ operator, target }) => operator === '<' && target !== '/dev/null')
    .map(({ target }) => target);
}

/** The variables and command output that words can expand to here. */
function scopeAt(reader: Reader, place: ReaderPosition): Scope {
  return {
    variables: place.variables,
    directory: place.directory,
    output(part) {
      if (part.script === undefined || place.depth > LIMITS.depth) return undefined;
      const [statement, ...others] = part.script.commands;
      if (statement === undefined || others.length > 0) return undefined;
      return printedText(reader, statement.command, { ...place, depth: place.depth + 1 })?.replace(/\n+$/, '');
    },
  };
}

/** The output of a command or pipeline, if it can be determined statically. */
function printedText(reader: Reader, node: SyntaxNode, place: ReaderPosition): string | undefined {
  if (node.type === 'Pipeline') {
    let { text } = place.pipelineInput;
    for (const command of node.commands)
      text = printedText(reader, command, { ...place, pipelineInput: { sources: [], text } });
    return text;
  }
  if (node.type !== 'Command' || !node.name) return undefined;
  const words = commandWords(node, scopeAt(reader, place));
  if (words[0] === 'pwd') return place.directory;
  if (isOwnName(words[0] ?? '') && words.slice(1).join(' ') === 'config path')
    return join(place.variables.get('HERMES_HOME') ?? `${reader.start.home}/.hermes`, 'config.yaml');
  const input = textGiven(reader, node.redirects, place) ?? place.pipelineInput.text;
  return printedByWords(words, input);
}

/** Input that the script itself contains: here-documents, here-strings, process substitutions. */
function textGiven(reader: Reader, redirects: readonly Redirection[], place: ReaderPosition): string | undefined {
  for (const redirect of redirects) {
    if (redirect.type === 'HereDoc') return redirect.body.text;
    if (redirect.type === 'HereString' && redirect.target) return wordText(redirect.target, scopeAt(reader, place));
    if (redirect.type !== 'Redirect' || redirect.operator !== '<') continue;
    const substitution = redirect.target?.parts?.find((part) => part.type === 'ProcessSubstitution');
    if (substitution?.type === 'ProcessSubstitution') return scopeAt(reader, place).output(substitution);
  }
  return undefined;
}

/** All commands below a node, including wrappers and the commands they wrap. */
function sourcesIn(reader: Reader, node: SyntaxNode, place: ReaderPosition): Source[] {
  const found: Source[] = [];
  const collect = (child: SyntaxNode): void => {
    if (found.length > LIMITS.pipeline) return;
    // `base64 < file` prints the same as `base64 file`, and `$(< file)` prints the file.
    if (child.type === 'Command' && child.name)
      found.push(
        ...sourcesOf(
          [...commandWords(child, scopeAt(reader, place)), ...filesGiven(reader, child.redirects, place)],
          place.directory,
        ),
      );
    else if (child.type === 'Command' || child.type === 'Redirected') {
      const args = filesGiven(reader, child.redirects, place);
      if (args.length > 0) found.push({ name: 'cat', args, directory: place.directory });
    }
    reader.parser.forEachChild(child, collect);
  };
  collect(node);
  return found;
}
