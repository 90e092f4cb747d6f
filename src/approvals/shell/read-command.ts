import { resolve } from 'node:path';
import { interpreterOf } from '../scripts/find-runs.ts';
import { hiddenCommands, runsElsewhere } from './hidden-commands.ts';
import { type CodeReading, isAwk, readAwk, readCode } from './read-code.ts';
import { readRuns } from './read-runs.ts';
import { readScript, visit } from './read-shell.ts';
import {
  recordProblem,
  LIMITS,
  NO_PIPELINE_INPUT,
  type ReaderPosition,
  type Reader,
  TOO_DEEP,
  TOO_MUCH,
} from './reader.ts';
import { ownArguments } from './own-call.ts';
import { noteDownload } from './fetched-files.ts';
import { codeGiven, findRun, isInterpreter, noteEffects } from './script-files.ts';
import { executableName, type ShellCommand } from './shell-command.ts';
import { type InnerCommand, isWrapper, suspectedCommands, unwrap } from './unwrap.ts';
import { conventionalName, hasGlob, isComputedName } from './words.ts';
import { SHELLS } from './wrappers.ts';

/** Programs whose arguments are messages or search terms, never commands. */
const TEXT_PROGRAMS: ReadonlySet<string> = new Set(
  ': true false echo printf grep egrep fgrep zgrep rg ag ack jq yq gh glab git hub say notify-send logger cowsay figlet toilet banner wall write mail mutt curl wget http xh test [ [[ export declare local readonly typeset hermes sed gsed tr cut expr let dialog whiptail zenity osascript terminal-notifier jira slack sendmail psql mysql mariadb sqlite3 mongosh redis-cli bq duckdb fzf pytest jest vitest go cargo mocha llm aider claude codex ollama pandoc convert magick ffmpeg qrencode'.split(
    ' ',
  ),
);
/** Options and words that are followed by plain text. */
const TEXT_OPTION =
  /^(?:-m|-d|-t|-b|-F|-k|-s|--?(?:message|msg|title|body|description|desc|text|subject|name|grep|pattern|query|note|notes|comment|reason|label|data|filter|search|prompt|content|summary|header|form|match|contains|testNamePattern|title-prefix).*)$/;
const TEXT_VERB =
  /^(?:add|commit|create|note|comment|new|search|find|say|log|message|post|send|tag|title|ask|prompt|print|show|describe|edit|list|grep|translate|explain)$/;
/** Options that are followed by a command. */
const RUN_OPTION =
  /^(?:-c|-e|-x|-exec|--?(?:exec|execute|command|cmd|run|shell|hook|eval|script|on-\w+|pre|post|before|after|then|do)(?:-\w+)?)(?:=(.*))?$/s;
/** Options that always take a command. */
const CERTAIN_OPTION = /^--(?:exec|execute|command|cmd|shell-command|run-command)$/;

const MACHINE = 'machine' as const;

export type CommandContext = Omit<
  ShellCommand,
  'name' | 'args' | 'computedName' | 'suspected' | 'runs' | 'code' | 'starts'
>;

/** Records a command and everything it runs: `xargs rm` is judged as xargs and as rm. */
export function addCommand(
  reader: Reader,
  given: readonly string[],
  around: CommandContext,
  place: ReaderPosition,
): void {
  reader.budget.commands -= 1;
  reader.budget.words -= given.length;
  if (reader.budget.words < 0) return recordProblem(reader, TOO_MUCH);
  const words = nameWords(reader, given);
  const [word = '', ...args] = words;
  const name = executableName(word);
  const run = findRun(reader, name, word, args, around);
  // Inside a function definition the arguments are unknown; the body is read again for each call.
  const fromCaller = /^\$(?:@|\*|[1-9]|\{[1-9@*]\})/.test(word);
  // What follows an image may also be the arguments of its own program: `docker run shellcheck scripts/*.sh`.
  const isArgument = place.remote === 'container' && /^[^/$`]+\//.test(word);
  const computedName = (isComputedName(name) && !fromCaller && !isArgument) || name === '{}';
  const code = codeOf(reader, name, args, around);
  const { suspected } = place;
  const starts = ownArguments(reader, words, around, place);
  const variables = reader.systems.length === 0 ? around.variables : [...reader.systems, ...around.variables];
  const origin = run?.origin;
  reader.reading.commands.push({
    ...around,
    variables,
    name,
    args,
    computedName,
    suspected,
    runs: origin,
    code,
    starts,
  });
  if (reader.budget.commands < 0) return;
  const script = run?.text !== undefined && isShellScript(name, run.text) ? run.text : undefined;
  if (script !== undefined) readScript(reader, script, { ...place, pipelineInput: NO_PIPELINE_INPUT });
  // Hermes itself is judged by its arguments.
  if (starts === undefined) readRuns(reader, words, around, place, script !== undefined);
  const inside = withAssignments(name, args, around);
  for (const inner of [...innerCommands(reader, words, around, place), ...scriptsOfCode(code)])
    readInner(reader, inner, inside, place);
  callFunction(reader, name, args, place);
  noteEffects(reader, name, args, around, place);
}

/** Whether a shell runs a file that the line wrote, instead of an interpreter. */
function isShellScript(name: string, text: string): boolean {
  if (isInterpreter(name)) return false;
  const interpreter = interpreterOf(text);
  return interpreter === undefined || SHELLS.has(interpreter);
}

/** `env` and `sudo` set variables for the command that they run. */
function withAssignments(name: string, args: readonly string[], around: CommandContext): CommandContext {
  if (name !== 'env' && name !== 'sudo') return around;
  const set = args.filter((arg) => /^[A-Za-z_]\w*=/.test(arg));
  return set.length === 0 ? around : { ...around, variables: [...around.variables, ...set] };
}

/** Replaces an alias defined in this line, or a conventional variable such as `$CC`, in the command name. */
function nameWords(reader: Reader, words: readonly string[]): string[] {
  const [word = '', ...args] = words;
  const alias = reader.aliases.get(word);
  if (alias !== undefined) return [...alias.split(/\s+/), ...args];
  return [conventionalName(word) ?? word, ...args];
}

/** All commands that a command runs. */
function innerCommands(
  reader: Reader,
  words: readonly string[],
  around: CommandContext,
  place: ReaderPosition,
): InnerCommand[] {
  const [word = '', ...args] = words;
  const name = executableName(word);
  const { input } = around;
  const { isDangerous, isHarmless, namesLike } = reader.start;
  const inner = [
    ...unwrap(words, input),
    ...hiddenCommands(name, args, input),
    ...(isAwk(name) ? args.flatMap((arg) => readAwk(arg).scripts).map((script) => ({ script })) : []),
  ];
  // `scripts/*.sh` names files of the project.
  if (hasGlob(name) && !/^[^/]+\//.test(word)) inner.push(...namesLike(name).map((one) => ({ words: [one, ...args] })));
  if (input !== undefined && readsScriptFromInput(name, args)) inner.push({ script: input });
  // The text of a program is code, never a shell script.
  if (around.script !== undefined && isInterpreter(name)) return inner;
  if (isWrapper(name) || isDangerous(name) || isHarmless(name) || place.suspected) return inner;
  const guessed: InnerCommand[] = [
    ...suspectedCommands(words, isDangerous).map((found) => ({ words: found, suspected: true })),
    ...suspectedScripts(words, isDangerous),
  ];
  return [...inner, ...(runsElsewhere(name, args) ? guessed.map((one) => ({ ...one, remote: MACHINE })) : guessed)];
}

/** What the code passed to an interpreter would do. */
function codeOf(reader: Reader, name: string, args: readonly string[], { input, directory }: CommandContext) {
  const code = codeGiven(name, args, input);
  if (code === undefined) return undefined;
  const reading = readCode(code, name);
  // What the code downloads may be any of the files that it names.
  if (reading.gets && reading.writes)
    for (const path of reading.paths.slice(0, LIMITS.loop)) noteDownload(reader, resolve(directory, path));
  if (reading.forkBomb) reader.reading.forkBombs.push(`${name}: ${code.slice(0, 100)}`);
  return reading;
}

/** The shell scripts that this code would run. */
function scriptsOfCode(code: CodeReading | undefined): InnerCommand[] {
  return code?.scripts.map(({ script, certain }) => ({ script, suspected: !certain })) ?? [];
}

/** Whether a shell reads its script from stdin. */
function readsScriptFromInput(name: string, args: readonly string[]): boolean {
  if (name === 'source' || name === '.')
    return args[0] === '/dev/stdin' || args[0] === '/dev/fd/0' || args[0]?.startsWith('<(') === true;
  const operands = args.filter((arg) => arg !== '-' && arg !== '/dev/stdin' && !arg.startsWith('<('));
  const script = operands.findIndex((arg) => !/^[-+]/.test(arg));
  const takesArguments = operands.some((arg) => /^-[a-z]*s$/.test(arg));
  return SHELLS.has(name) && (script < 0 || takesArguments) && operands.every((arg) => !/^-[a-z]*c/.test(arg));
}

function readInner(reader: Reader, inner: InnerCommand, around: CommandContext, place: ReaderPosition): void {
  // A command on another machine starts in the home directory there.
  const from =
    inner.atHome || (inner.remote === MACHINE && place.remote === undefined) ? reader.start.home : place.directory;
  const deeper: ReaderPosition = {
    ...place,
    depth: place.depth + 1,
    remote: inner.remote ?? place.remote,
    suspected: inner.suspected ?? place.suspected,
    directory: inner.directory === undefined ? from : resolve(from, inner.directory),
  };
  if (place.depth > LIMITS.depth) return recordProblem(reader, TOO_DEEP);
  if ('script' in inner)
    return readScript(reader, inner.script, { ...deeper, depth: place.depth, pipelineInput: place.pipelineInput });
  addCommand(reader, inner.words, { ...around, remote: deeper.remote, directory: deeper.directory }, deeper);
}

/** Reads the body of a function that this line defines, with the arguments of the call. */
function callFunction(reader: Reader, name: string, args: readonly string[], place: ReaderPosition): void {
  const body = reader.bodies.get(name);
  if (body === undefined || place.calling.includes(name) || place.depth > LIMITS.depth) return;
  // In a long script, the calls of calls would take too long.
  if (place.script !== undefined && place.calling.length > 1) return;
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

/** Scripts passed as one argument to an unknown program, which may run them. */
function suspectedScripts(words: readonly string[], isDangerous: (name: string) => boolean): InnerCommand[] {
  const name = executableName(words[0] ?? '');
  // `php artisan tinker --execute` takes PHP code, which is judged as code.
  if (TEXT_PROGRAMS.has(name) || (name.startsWith('php') && words.includes('tinker'))) return [];
  return words.slice(1).flatMap((word, index) => {
    const before = words[index] ?? '';
    const option = RUN_OPTION.exec(word);
    if (option?.[1] !== undefined) return [{ script: option[1], suspected: !word.startsWith('--') }];
    if (CERTAIN_OPTION.test(before)) return [{ script: word, suspected: false }];
    if (!/\s/.test(word)) return [];
    if (RUN_OPTION.test(before)) return [{ script: word, suspected: true }];
    if (TEXT_OPTION.test(before) || TEXT_VERB.test(before)) return [];
    return startsCommand(word, isDangerous) ? [{ script: word, suspected: true }] : [];
  });
}

/** Whether a text begins like a dangerous command line, or contains one after a separator. */
function startsCommand(text: string, isDangerous: (name: string) => boolean): boolean {
  return text
    .slice(0, 2000)
    .split(/&&|\|\||[;|&\n(`]/)
    .some((part) => {
      const name = executableName(/^\s*(\S+)/.exec(part)?.[1] ?? '');
      return isDangerous(name) || isWrapper(name);
    });
}
