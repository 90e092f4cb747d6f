import { type Command, CommanderError } from 'commander';
import { USAGE_EXIT_CODE } from '../../base/index.ts';
import type { CliRequest } from './chat-options.ts';
import type { CliIo } from './cli-io.ts';
import { mayNameCommand } from './command-names.ts';
import { describeProgram } from './describe-program.ts';
import { showBriefly } from './help/brief-help.ts';
import { toHelpCall } from './help/help-call.ts';
import { wrapHelp } from './help/wrap-help.ts';

/** A request, or the end already: with what the parser had to say, where that was a mistake. */
export type ParsedArguments = { request: CliRequest; profile?: string } | { exitCode: number; message: string };

const INCOMPLETE = 'The command line is not complete.';

/** Reads the command line. Help, version and usage errors are written here and end with an exit code. */
export async function parseArguments(words: readonly string[], io: CliIo): Promise<ParsedArguments> {
  let request: CliRequest | undefined;
  const found = (asked: CliRequest) => {
    request = asked;
  };
  const program = describeProgram(found);
  if (mayNameCommand(words)) (await import('./describe-commands.ts')).describeCommands(program, words, found);
  const argv = toHelpCall(words, program);
  showBriefly(program);
  forEachCommand(program, (command) => {
    command.exitOverride();
    command.configureOutput({
      writeOut: (text) => io.stdout.write(wrapHelp(text, io.stdout.columns)),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(`hermes: ${toSentence(text)}\n`),
    });
    command.showHelpAfterError(`        \`${pathOf(command)} --help\` shows what it takes.`);
  });
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
