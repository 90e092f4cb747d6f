import { Command, CommanderError, Option } from 'commander';
import { ConfigurationError, USAGE_EXIT_CODE } from '../../base/index.ts';
import { describeApprovals } from './approvals/describe-approvals.ts';
import { describeAuth } from './auth/describe-auth.ts';
import { describeBackup } from './backup/describe-backup.ts';
import { type ChatOptions, type CliRequest, type CommandRun, IF_BUSY, type SetupOptions } from './chat-options.ts';
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
import { describeSessions } from './sessions/describe-sessions.ts';
import { describeSkills } from './skills/describe-skills.ts';
import type { StatusOptions } from './status/status.ts';
import { describeUpdate } from './update/describe-update.ts';
import { VERSION } from './version.ts';

/** A request, or the end already: with what the parser had to say, where that was a mistake. */
export type ParsedArguments = { request: CliRequest; profile?: string } | { exitCode: number; message: string };

const INCOMPLETE = 'The command line is not complete.';

type RawChatOptions = Partial<Omit<ChatOptions, 'prompt' | 'output' | 'once' | 'images'>> & {
  query?: string;
  final?: string;
  json?: boolean;
  continue?: boolean | string;
  image?: string[];
};

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

function addChatOptions(command: Command): Command {
  return command
    .argument('[prompt...]', 'what to do')
    .option('-p, --profile <profile>', 'use the home of this profile')
    .option('-q, --query <text>', 'answer one prompt and end')
    .option('-z, --final <text>', 'answer one prompt; only the final text goes to standard output')
    .option('--json', 'one JSON object per event, a result record last')
    .option('-r, --resume <session>', 'go on with a session: its id, the beginning of one, or its title')
    .option('-c, --continue [session]', 'go on with the newest session, or with this one')
    .addOption(new Option('--if-busy <way>', 'where another process works on the session').choices(IF_BUSY))
    .option('--image <file>', 'attach an image (PNG, JPEG, GIF, WebP) or a PDF file; may be repeated', collect)
    .option('-m, --model <name>', 'the model to use')
    .option('--provider <name>', 'the provider to use; "demo" is a scripted model that needs nothing')
    .option('--max-turns <n>', 'the most steps a turn may take', parseCount)
    .option('-t, --toolsets <names>', 'only these tool sets, with commas between them', parseNames)
    .option('--yolo', 'run dangerous commands without asking')
    .option('--plan', 'plan mode: read and think, change nothing')
    .option('--pass-session-id', 'tell the model the id of its session')
    .option('--quiet', 'nothing on standard error but errors')
    .option('--verbose', 'say which model is used and why, and write debug details to the log')
    .option('--usage-file <file>', 'write tokens and cost to a JSON file, even on failure');
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function toChatOptions(words: readonly string[], raw: RawChatOptions): ChatOptions {
  const prompts = [raw.query, raw.final, words.length > 0 ? words.join(' ') : undefined].filter(
    (text) => text !== undefined,
  );
  if (prompts.length > 1) {
    throw new ConfigurationError('There is more than one prompt.', {
      hint: 'Give it once: with -q, with -z, or as words (in quotes).',
    });
  }
  return {
    prompt: prompts[0],
    output: raw.json ? 'json' : raw.final === undefined ? 'text' : 'final',
    once: raw.query !== undefined || raw.final !== undefined || raw.json === true,
    ...chooseSession(raw),
    ifBusy: raw.ifBusy,
    model: raw.model,
    provider: raw.provider,
    maxTurns: raw.maxTurns,
    toolsets: raw.toolsets,
    yolo: raw.yolo ?? false,
    ...(raw.plan && { plan: true }),
    ...(raw.passSessionId && { passSessionId: true }),
    quiet: raw.quiet ?? false,
    verbose: raw.verbose ?? false,
    usageFile: raw.usageFile,
    images: raw.image ?? [],
  };
}

/** `--continue` with a name is `--resume`. */
function chooseSession({ resume, continue: again }: RawChatOptions): Pick<ChatOptions, 'resume' | 'continueLatest'> {
  if (typeof again !== 'string') return { resume, continueLatest: again ?? false };
  if (resume === undefined) return { resume: again, continueLatest: false };
  throw new ConfigurationError('There is more than one session to go on with.', {
    hint: 'Name it once: with --resume or with --continue.',
  });
}

function forEachCommand(command: Command, act: (command: Command) => void): void {
  act(command);
  for (const child of command.commands) forEachCommand(child, act);
}
