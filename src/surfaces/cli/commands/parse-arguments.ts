import { type Command, CommanderError, type Option } from 'commander';
import { USAGE_EXIT_CODE } from '../../../base/index.ts';
import type { CliRequest } from '../chat-options.ts';
import type { CliIo } from '../cli-io.ts';
import { addCommand, addOutline, buildProgram, type FoundRequest } from './build-command.ts';
import type { CommandRow } from './command-row.ts';
import { refuseMistyped, showBriefly, toHelpCall, wrapHelp } from './help.ts';

/** A request, or the end already: with what the parser had to say, where that was a mistake. */
type ParsedArguments = { request: CliRequest; profile?: string } | { exitCode: number; message: string };

const INCOMPLETE = 'The command line is not complete.';

/** Reads the command line. Help, version and usage errors are written here and end with an exit code. */
export async function parseArguments(words: readonly string[], io: CliIo): Promise<ParsedArguments> {
  let request: CliRequest | undefined;
  const found = (asked: CliRequest) => {
    request = asked;
  };
  let commands: readonly CommandRow[] = [];
  const program = buildProgram(found, (prompt) => refuseMistyped(prompt, commands));
  const outline = readOutline(words, program.options);
  if (needsTable(outline)) {
    commands = (await import('./table.ts')).COMMANDS;
    addNeeded(program, commands, outline, found);
  }
  const argv = toHelpCall(words, program);
  showBriefly(program);
  forEachCommand(program, (command) => configure(command, io));
  try {
    program.parse(argv, { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return { exitCode: thrown.exitCode === 0 ? 0 : USAGE_EXIT_CODE, message: describeMistake(thrown) };
  }
  if (request === undefined) return { exitCode: USAGE_EXIT_CODE, message: INCOMPLETE };
  const profile = findProfile(program);
  return { request, ...(profile !== undefined && { profile }) };
}

/** What the words show before it is known which commands there are. */
type Outline = {
  /** Words that can be the name of the command. */
  names: readonly string[];
  /** When the other commands are added too, as far as help and the parser's complaints need them. */
  others: 'never' | 'unless named' | 'always';
};

const NAME = /^[\w-]+$/;
const NEGATIVE_NUMBER = /^-[\d.]/;

/** Finds the first word that is neither an option of a chat nor the value of one. */
function readOutline(words: readonly string[], options: readonly Option[]): Outline {
  if (words[0] === 'help') return { names: words, others: 'always' };
  let word: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const each = words[at] ?? '';
    if (each === '--') {
      word ??= words[at + 1];
      break;
    }
    if (!isOption(each)) {
      word ??= each;
      continue;
    }
    const flag = each.replace(/^(--[^=]+)=.*$/s, '$1');
    const option = options.find(({ short, long }) => short === flag || long === flag);
    // Help, short options in one word, an option of a command, or a mistake: the parser will know.
    if (option === undefined)
      return word === undefined ? { names: words, others: 'always' } : { names: [word], others: 'unless named' };
    const next = words[at + 1] ?? '--';
    const takesNext = option.required || (option.optional && (!isOption(next) || NEGATIVE_NUMBER.test(next)));
    if (flag === each && takesNext) at += 1;
  }
  return { names: word === undefined ? [] : [word], others: 'never' };
}

function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}

/** A chat without a prompt, with `-q` or `-z`, or with a prompt in quotes does not load the table. */
function needsTable({ names, others }: Outline): boolean {
  return others !== 'never' || names.some((name) => NAME.test(name));
}

/** All of the command that is named, and of the others what help shows. */
function addNeeded(program: Command, commands: readonly CommandRow[], outline: Outline, found: FoundRequest): void {
  const named = commands.filter(({ name, aliases = [] }) =>
    [name, ...aliases].some((each) => outline.names.includes(each)),
  );
  const withOthers = outline.others === 'always' || (outline.others === 'unless named' && named.length === 0);
  for (const row of commands) {
    if (named.includes(row)) addCommand(program, row, found);
    else if (withOthers) addOutline(program, row);
  }
}

function configure(command: Command, io: CliIo): void {
  command.exitOverride();
  command.configureOutput({
    writeOut: (text) => io.stdout.write(wrapHelp(text, io.stdout.columns)),
    writeErr: (text) => io.stderr.write(text),
    outputError: (text, write) => write(`hermes: ${toSentence(text)}\n`),
  });
  command.showHelpAfterError(`        \`${pathOf(command)} --help\` shows what it takes.`);
}
/** `-p NAME`, before a command or behind `chat`. */
function findProfile(program: Command): string | undefined {
  const given = [program, ...program.commands].map((command): unknown => command.opts()['profile']);
  return given.find((name) => typeof name === 'string');
}

/** What the parser wrote, as a sentence of its own; where it showed the help instead, what that means. */
function describeMistake({ code, message }: CommanderError): string {
  return code === 'commander.help' ? INCOMPLETE : toSentence(message);
}

function toSentence(message: string): string {
  // A suggestion comes on a line of its own, in parentheses.
  const [said = '', suggestion = ''] = message
    .replace(/^error: /, '')
    .trim()
    .split(/\n\(([^)]*)\)$/);
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1)}${/[.?!)]$/.test(said) ? '' : '.'}`;
  return suggestion === '' ? sentence : `${sentence} ${suggestion}`;
}

/** `hermes sessions list`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function forEachCommand(command: Command, act: (command: Command) => void): void {
  act(command);
  for (const child of command.commands) forEachCommand(child, act);
}
