import { hiddenCommands } from './hidden-commands.ts';
import { codeGiven } from './interpreters.ts';
import { type CodeReading, isAwk, readAwk, readCode } from './read-code.ts';
import { readScript, visit } from './read-shell.ts';
import { giveUp, LIMITS, NO_FEED, type Place, type Reader, TOO_DEEP, TOO_MUCH } from './reader.ts';
import { findRun, noteEffects } from './script-files.ts';
import { executableName, type ShellCommand } from './shell-command.ts';
import { suspectedScripts } from './suspected-scripts.ts';
import { type Inner, isWrapper, suspectedCommands, unwrap } from './unwrap.ts';
import { conventionalName, hasGlob, isComputedName } from './words.ts';
import { SHELLS } from './wrappers.ts';

export type Surroundings = Omit<ShellCommand, 'name' | 'args' | 'computedName' | 'suspected' | 'runs' | 'code'>;

/** Keeps the command itself and what it wraps: `xargs rm` is judged as xargs and as rm. */
export function addCommand(reader: Reader, given: readonly string[], around: Surroundings, place: Place): void {
  reader.budget.commands -= 1;
  reader.budget.words -= given.length;
  if (reader.budget.words < 0) return giveUp(reader, TOO_MUCH);
  const words = nameWords(reader, given);
  const [word = '', ...args] = words;
  const name = executableName(word);
  const run = findRun(reader, name, word, args, around);
  // A function's own arguments are not known where it is defined; what it is called with is read at the call.
  const fromCaller = /^\$(?:@|\*|[1-9]|\{[1-9@*]\})/.test(word);
  const computedName = isComputedName(name) && !fromCaller;
  const code = codeOf(reader, name, args, around.input);
  const { suspected } = place;
  reader.reading.commands.push({ ...around, name, args, computedName, suspected, runs: run?.origin, code });
  if (reader.budget.commands < 0) return;
  if (run?.text !== undefined) readScript(reader, run.text, { ...place, feed: NO_FEED });
  for (const inner of [...innerCommands(reader, words, around, place), ...scriptsOfCode(code)])
    readInner(reader, inner, around, place);
  callFunction(reader, name, args, place);
  noteEffects(reader, name, args, around, place);
}

/** Aliases of the line and conventional variables in the place of the name. */
function nameWords(reader: Reader, words: readonly string[]): string[] {
  const [word = '', ...args] = words;
  const alias = reader.aliases.get(word);
  if (alias !== undefined) return [...alias.split(/\s+/), ...args];
  return [conventionalName(word) ?? word, ...args];
}

/** Everything that a command runs in turn, in whichever way. */
function innerCommands(reader: Reader, words: readonly string[], { input }: Surroundings, place: Place): Inner[] {
  const [word = '', ...args] = words;
  const name = executableName(word);
  const { isDangerous, isHarmless, namesLike } = reader.start;
  const inner = [
    ...unwrap(words, input),
    ...hiddenCommands(name, args, input),
    ...(isAwk(name) ? args.flatMap((arg) => readAwk(arg).scripts).map((script) => ({ script })) : []),
  ];
  if (hasGlob(name)) inner.push(...namesLike(name).map((one) => ({ words: [one, ...args] })));
  if (input !== undefined && readsScriptFromInput(name, args)) inner.push({ script: input });
  if (isWrapper(name) || isDangerous(name) || isHarmless(name) || place.suspected) return inner;
  const guessed: Inner[] = suspectedCommands(words, isDangerous).map((found) => ({ words: found, suspected: true }));
  return [...inner, ...guessed, ...suspectedScripts(words, isDangerous)];
}

/** What a program in another language would do. */
function codeOf(reader: Reader, name: string, args: readonly string[], input: string | undefined) {
  const code = codeGiven(name, args, input);
  if (code === undefined) return undefined;
  const reading = readCode(code);
  if (reading.forkBomb) reader.reading.forkBombs.push(`${name}: ${code.slice(0, 100)}`);
  return reading;
}

/** What such a program runs, said as scripts. */
function scriptsOfCode(code: CodeReading | undefined): Inner[] {
  return code?.scripts.map(({ script, certain }) => ({ script, suspected: !certain })) ?? [];
}

/** A shell without a script to run takes one from its standard input. */
function readsScriptFromInput(name: string, args: readonly string[]): boolean {
  if (name === 'source' || name === '.')
    return args[0] === '/dev/stdin' || args[0] === '/dev/fd/0' || args[0]?.startsWith('<(') === true;
  const operands = args.filter((arg) => arg !== '-' && arg !== '/dev/stdin' && !arg.startsWith('<('));
  const script = operands.findIndex((arg) => !/^[-+]/.test(arg));
  const takesArguments = operands.some((arg) => /^-[a-z]*s$/.test(arg));
  return SHELLS.has(name) && (script < 0 || takesArguments) && operands.every((arg) => !/^-[a-z]*c/.test(arg));
}

function readInner(reader: Reader, inner: Inner, around: Surroundings, place: Place): void {
  const deeper: Place = {
    ...place,
    depth: place.depth + 1,
    remote: inner.remote ?? place.remote,
    suspected: inner.suspected ?? place.suspected,
  };
  if (place.depth > LIMITS.depth) return giveUp(reader, TOO_DEEP);
  if ('script' in inner) return readScript(reader, inner.script, { ...deeper, depth: place.depth, feed: place.feed });
  addCommand(reader, inner.words, { ...around, remote: deeper.remote, directory: deeper.directory }, deeper);
}

/** The body of a function of this line, with the arguments it is called with. */
function callFunction(reader: Reader, name: string, args: readonly string[], place: Place): void {
  const body = reader.bodies.get(name);
  if (body === undefined || place.calling.includes(name) || place.depth > LIMITS.depth) return;
  const variables = new Map(place.variables);
  for (const [index, arg] of args.entries()) variables.set(String(index + 1), arg);
  variables.set('@', args.join(' '));
  variables.set('*', args.join(' '));
  visit(reader, body.node, {
    ...place,
    variables,
    source: body.source,
    depth: place.depth + 1,
    calling: [...place.calling, name],
  });
}
