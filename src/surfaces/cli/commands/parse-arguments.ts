import { type Command, CommanderError, type Option } from 'commander';
import { USAGE_EXIT_CODE } from '../../../base/index.ts';
import type { CliRequest } from '../chat-options.ts';
import type { CliIo } from '../cli-io.ts';
import { writeReport } from '../report-error.ts';
import { addCommand, addOutline, buildProgram, type OnRequest } from './build-command.ts';
import { type CliCommand, UsageError } from './cli-command.ts';
import type { CommandRow } from './command-row.ts';
import { rejectUnknownCommand, SINGLE_WORD, useBriefHelp, toHelpCall, wrapHelp } from './help.ts';

/** The parsed request, or an exit code with the parser's error message. */
type ParsedArguments = { request: CliRequest; profile?: string } | { exitCode: number; message: string };

const INCOMPLETE = 'The command line is incomplete.';

/** Parses the command line. Prints help, version and usage errors and returns an exit code for them. */
export async function parseArguments(words: readonly string[], io: CliIo): Promise<ParsedArguments> {
  let request: CliRequest | undefined;
  const found = (asked: CliRequest) => {
    request = asked;
  };
  let commands: readonly CommandRow[] = [];
  const program = buildProgram(found, (prompt) => rejectUnknownCommand(prompt, commands));
  const outline = readOutline(words, program.options);
  if (needsTable(outline)) {
    commands = (await import('./table.ts')).COMMANDS;
    addNeeded(program, commands, outline, found);
  }
  const argv = toHelpCall(words, program);
  useBriefHelp(program);
  forEachCommand(program, (command) => configure(command, io));
  try {
    program.parse(argv, { from: 'user' });
  } catch (thrown) {
    if (thrown instanceof UsageError) return reportUsageError(thrown, io);
    if (!(thrown instanceof CommanderError)) throw thrown;
    return { exitCode: thrown.exitCode === 0 ? 0 : USAGE_EXIT_CODE, message: describeHelpExit(thrown) };
  }
  if (request === undefined) return { exitCode: USAGE_EXIT_CODE, message: INCOMPLETE };
  const profile = findProfile(program);
  return { request, ...(profile !== undefined && { profile }) };
}

/** What can be derived from the arguments before the command table is loaded. */
type Outline = {
  /** Arguments that may be the name of a command. */
  names: readonly string[];
  /** When to add outlines of the other commands, which help and parser errors need. */
  others: 'never' | 'unless named' | 'always';
};

const NEGATIVE_NUMBER = /^-[\d.]/;

/** Finds the first argument that is neither a chat option nor the value of one. */
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
    // Help, combined short options, an option of a command, or a mistake: left to the parser.
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
  return others !== 'never' || names.some((name) => SINGLE_WORD.test(name));
}

/** Adds the named command completely, and of the others only what help shows. */
function addNeeded(program: CliCommand, commands: readonly CommandRow[], outline: Outline, found: OnRequest): void {
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
  });
}

/** `-p NAME`, before a command or after `chat`. */
function findProfile(program: Command): string | undefined {
  const given = [program, ...program.commands].map((command): unknown => command.opts()['profile']);
  return given.find((name) => typeof name === 'string');
}

async function reportUsageError(error: UsageError, io: CliIo): Promise<ParsedArguments> {
  const { describeUsageError } = await import('./describe-usage-error.ts');
  const report = describeUsageError(error);
  writeReport(io, report);
  return { exitCode: USAGE_EXIT_CODE, message: report.message };
}

/** If the parser printed help instead of running a command, a sub-command is missing. */
function describeHelpExit({ code, message }: CommanderError): string {
  return code === 'commander.help' ? INCOMPLETE : message;
}

function forEachCommand(command: Command, act: (command: Command) => void): void {
  act(command);
  for (const child of command.commands) forEachCommand(child, act);
}
