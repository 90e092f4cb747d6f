import { Command, CommanderError } from 'commander';
import { USAGE_EXIT_CODE } from '../../base/index.ts';
import { describeApprovals } from './approvals/describe-approvals.ts';
import { describeAuth } from './auth/describe-auth.ts';
import { describeBackup } from './backup/describe-backup.ts';
import { addChatOptions, type RawChatOptions, toChatOptions } from './chat-arguments.ts';
import type { CliRequest, CommandRun, SetupOptions } from './chat-options.ts';
import type { CliIo } from './cli-io.ts';
import { describeCompletion } from './completion/describe-completion.ts';
import { describeConfig } from './config/describe-config.ts';
import type { DoctorOptions } from './doctor/doctor.ts';
import { describeDump } from './dump/describe-dump.ts';
import { describeFallback } from './fallback/describe-fallback.ts';
import type { InsightsOptions } from './insights/insights.ts';
import { describeLogs } from './logs/describe-logs.ts';
import { describeMemory } from './memory/describe-memory.ts';
import { describeModelCommands } from './model/describe-model-commands.ts';
import { describeTools } from './tools/describe-tools.ts';
import { parseCount } from './parse-count.ts';
import { parseNames } from './parse-names.ts';
import { describeProfile } from './profile/describe-profile.ts';
import type { PromptSizeOptions } from './prompt-size/prompt-size.ts';
import type { ReplayCommand } from './replay/replay.ts';
import { describeSessions } from './sessions/describe-sessions.ts';
import { describeSkills } from './skills/describe-skills.ts';
import type { StatusOptions } from './status/status.ts';
import { describeUpdate } from './update/describe-update.ts';
import { VERSION } from './version.ts';

/** A request, or the end already: with what the parser had to say, where that was a mistake. */
export type ParsedArguments = { request: CliRequest; profile?: string } | { exitCode: number; message: string };

const INCOMPLETE = 'The command line is not complete.';

/** Reads the command line. Help, version and usage errors are written here and end with an exit code. */
export function parseArguments(argv: readonly string[], io: CliIo): ParsedArguments {
  let request: CliRequest | undefined;
  const program = describeCommands(argv, (found) => {
    request = found;
  });
  forEachCommand(program, (command) => {
    command.exitOverride();
    command.configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) });
    command.showHelpAfterError('(hermes --help shows what there is)');
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

/** All commands with all that is in them, for whoever wants to know what there is. */
export function describeEverything(): Command {
  const names = describeCommands([], () => undefined).commands.map((command) => command.name());
  return describeCommands(names, () => undefined);
}

/** What the parser wrote, as a sentence of its own; where it showed the help instead, what that means. */
function describeMistake({ code, message }: CommanderError): string {
  if (code === 'commander.help') return INCOMPLETE;
  const text = message.replace(/^error: /, '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!)]$/.test(text) ? '' : '.'}`;
}

function describeCommands(argv: readonly string[], found: (request: CliRequest) => void): Command {
  const program = new Command('hermes')
    .description('An autonomous agent on your own machine. Without a prompt it opens a chat.')
    .version(VERSION, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    // Options behind a command's name are that command's own.
    .enablePositionalOptions()
    .hook('preAction', (_, command) => passOnJson(command));
  const chat = (words: string[], raw: RawChatOptions) => found({ kind: 'chat', options: toChatOptions(words, raw) });
  addChatOptions(program).action((words: string[], raw: RawChatOptions) => chat(words, raw));
  const named = program.command('chat').description('chat in the terminal, or answer one prompt');
  // The same options once more: only who says `chat` pays for them.
  if (argv.includes('chat')) addChatOptions(named);
  named.action((words: string[], _raw: RawChatOptions, command: Command) => chat(words, command.optsWithGlobals()));
  addOtherCommands(program, argv, found);
  return program;
}

/** `hermes --json sessions list` asks for the same as `hermes sessions list --json`. */
function passOnJson(command: Command): void {
  const takesJson = command.options.some((option) => option.long === '--json');
  for (let above = command.parent; above !== null; above = above.parent) {
    if (above.opts()['json'] === true && takesJson) command.setOptionValue('json', true);
  }
}

function addOtherCommands(program: Command, argv: readonly string[], found: (request: CliRequest) => void): void {
  const command = (run: CommandRun) => found({ kind: 'command', run });
  program
    .command('setup')
    .description('connect a model: asks for provider, key and model, and ends with a real call')
    .option('--provider <name>', 'the provider; with it nothing is asked, as with `hermes model set`')
    .option('--model <name>', 'the model')
    .option('--base-url <url>', 'the address of the endpoint')
    .option('--api-key-env <variable>', 'the variable that holds the key')
    .option('--force', 'also a model that is not known')
    .option('--offline', 'ask nobody whether the model is there')
    .action((options: SetupOptions) =>
      command(async (io, signal) => (await import('./setup/setup.ts')).setup(options, io, signal)),
    );
  describeModelCommands(program, command, argv.includes('model'));
  describeFallback(program, command, argv.includes('fallback'));
  describeSessions(program, command, argv.includes('sessions'));
  describeAuth(program, command, argv.includes('auth'));
  addLookingInto(program, command);
  describeLogs(program, command, argv.includes('logs'));
  describeProfile(program, command, argv.includes('profile'));
  describeUpdate(program, command, argv.includes('update'));
  describeDump(program, command, argv.includes('dump'));
  describeBackup(program, command, argv.includes('backup') || argv.includes('import'));
  describeCompletion(program, command, argv.includes('completion') || argv.includes('__complete'));
  describeApprovals(program, command, argv.includes('approvals'));
  describeTools(program, command, argv.includes('tools'));
  describeSkills(program, command, argv.includes('skills'));
  describeMemory(program, command, argv.includes('memory'));
  describeConfig(program, command, argv.includes('config'));
}

const REPLAY_EXAMPLE = `
Nobody is asked, no tool runs and nothing is stored. Ends with 1 where something would be different today.

Example:
  hermes replay 20261104_0912 --json | jq -r '.steps[].hash'`;

function addLookingInto(program: Command, found: (run: CommandRun) => void): void {
  program
    .command('status')
    .description('show which model is used and why, and where everything is')
    .option('-m, --model <name>', 'as if this model were asked for')
    .option('--provider <name>', 'as if this provider were asked for')
    .option('--deep', 'ask the provider for its models, which shows whether the key works')
    .option('--json', 'answer with JSON')
    .action((options: StatusOptions) =>
      found(async (io) => (await import('./status/status.ts')).showStatus(options, io)),
    );
  program
    .command('prompt-size')
    .description('show what every call to a model carries, piece by piece')
    .option('-t, --toolsets <names>', 'as if these tool sets were asked for', parseNames)
    .option('--json', 'answer with JSON')
    .action((options: PromptSizeOptions) =>
      found(async (io) => (await import('./prompt-size/prompt-size.ts')).showPromptSize(options, io)),
    );
  program
    .command('insights')
    .description('show what was done and spent')
    .option('--days <n>', 'how many days back', parseCount, 30)
    .option('--source <name>', 'only sessions from there, such as cli')
    .option('--json', 'answer with JSON')
    .action((options: InsightsOptions) =>
      found(async (io) => (await import('./insights/insights.ts')).showInsights(options, io)),
    );
  program
    .command('replay')
    .description('run a stored session again with its recorded answers, offline, and show where requests would differ')
    .argument('<session>', 'its id, the beginning of one, or its title')
    .option('-m, --model <name>', 'as if this model were asked')
    .option('--provider <name>', 'as if this provider were asked')
    .option('-t, --toolsets <names>', 'as if these tool sets were asked for', parseNames)
    .option('--json', 'answer with JSON')
    .addHelpText('after', REPLAY_EXAMPLE)
    .action((session: string, options: ReplayCommand) =>
      found(async (io) => (await import('./replay/replay.ts')).showReplay(session, options, io)),
    );
  program
    .command('doctor')
    .description('check home, configuration, keys, models and session database, and say what to do')
    .option('--offline', 'ask no host whether it answers, takes the key and has the model')
    .option('--fix', 'mend what is safe: rights of files, missing folders, the search index; asks first')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'answer with JSON')
    .action((options: DoctorOptions) =>
      found(async (io, signal) => (await import('./doctor/doctor.ts')).doctor(options, io, signal)),
    );
}

function forEachCommand(command: Command, act: (command: Command) => void): void {
  act(command);
  for (const child of command.commands) forEachCommand(child, act);
}
