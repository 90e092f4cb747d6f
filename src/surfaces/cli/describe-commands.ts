import { Command } from 'commander';
import { describeApprovals } from './approvals/describe-approvals.ts';
import { describeAuth } from './auth/describe-auth.ts';
import { describeBackup } from './backup/describe-backup.ts';
import { describeBatch } from './batch/describe-batch.ts';
import { addChatOptions, type RawChatOptions, toChatOptions } from './chat-arguments.ts';
import type { CliRequest, CommandRun } from './chat-options.ts';
import { describeCompletion } from './completion/describe-completion.ts';
import { describeConfig } from './config/describe-config.ts';
import { describeDoctor } from './doctor/describe-doctor.ts';
import { describeDump } from './dump/describe-dump.ts';
import { describeFallback } from './fallback/describe-fallback.ts';
import { examples } from './help/examples.ts';
import { refuseMistyped } from './help/refuse-mistyped.ts';
import { describeHooks } from './hooks/describe-hooks.ts';
import { describeInsights } from './insights/describe-insights.ts';
import { describeLogs } from './logs/describe-logs.ts';
import { describeCheckpoints } from './checkpoints/describe-checkpoints.ts';
import { describeMcp } from './mcp/describe-mcp.ts';
import { describeMemory } from './memory/describe-memory.ts';
import { describeModelCommands } from './model/describe-model-commands.ts';
import { describePlugins } from './plugins/describe-plugins.ts';
import { describeProfile } from './profile/describe-profile.ts';
import { describePromptSize } from './prompt-size/describe-prompt-size.ts';
import { describeReplay } from './replay/describe-replay.ts';
import { describeSessions } from './sessions/describe-sessions.ts';
import { describeSetup } from './setup/describe-setup.ts';
import { describeSkills } from './skills/describe-skills.ts';
import { describeStatus } from './status/describe-status.ts';
import { describeTools } from './tools/describe-tools.ts';
import { describeTrajectories } from './trajectories/describe-trajectories.ts';
import { describeUpdate } from './update/describe-update.ts';
import { VERSION } from './version.ts';

/** Adds a command. In full only where it is asked for: all of them together would cost a start milliseconds. */
type Describe = (program: Command, found: (run: CommandRun) => void, inFull: boolean) => void;
type Group = { heading: string; commands: readonly (readonly [describe: Describe, ...names: string[]])[] };

const CHAT_GROUP = 'Chats and what was in them:';

/** In the order in which help and reference show them. */
const GROUPS: readonly Group[] = [
  {
    heading: CHAT_GROUP,
    commands: [
      [describeSessions, 'sessions'],
      [describeInsights, 'insights'],
      [describeReplay, 'replay'],
      [describeTrajectories, 'trajectories'],
      [describeBatch, 'batch'],
    ],
  },
  {
    heading: 'Connect a model:',
    commands: [
      [describeSetup, 'setup'],
      [describeModelCommands, 'model'],
      [describeAuth, 'auth'],
      [describeFallback, 'fallback'],
    ],
  },
  {
    heading: 'What it can do and may do:',
    commands: [
      [describeTools, 'tools'],
      [describeSkills, 'skills'],
      [describeMcp, 'mcp'],
      [describeMemory, 'memory'],
      [describePlugins, 'plugins'],
      [describeHooks, 'hooks'],
      [describeApprovals, 'approvals'],
      [describeCheckpoints, 'checkpoints'],
    ],
  },
  {
    heading: 'See how it is:',
    commands: [
      [describeStatus, 'status'],
      [describeDoctor, 'doctor'],
      [describeLogs, 'logs'],
      [describePromptSize, 'prompt-size'],
      [describeDump, 'dump'],
    ],
  },
  {
    heading: 'Settings and homes:',
    commands: [
      [describeConfig, 'config'],
      [describeProfile, 'profile'],
      [describeBackup, 'backup', 'import'],
      [describeCompletion, 'completion', '__complete'],
      [describeUpdate, 'update'],
    ],
  },
];

const CHAT_EXAMPLES = examples('hermes -q "why does the build fail?"', 'git diff | hermes -z "write a commit message"');

/** The command line as far as these words need it. */
export function describeCommands(argv: readonly string[], found: (request: CliRequest) => void): Command {
  const program = new Command('hermes')
    .description('An autonomous agent on your own machine. Without a prompt it opens a chat.')
    .version(VERSION, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    // Options behind a command's name are that command's own.
    .enablePositionalOptions()
    .hook('preAction', (_, command) => passOnJson(command));
  const chat = (words: string[], raw: RawChatOptions) => found({ kind: 'chat', options: toChatOptions(words, raw) });
  addChatOptions(program)
    .addHelpText('after', CHAT_EXAMPLES)
    .action((words: string[], raw: RawChatOptions) => {
      refuseMistyped(words, program);
      chat(words, raw);
    });
  const named = program
    .command('chat')
    .helpGroup(CHAT_GROUP)
    .description('chat in the terminal, or answer one prompt')
    .summary('the same; `hermes chat --help` has all its options');
  // The same options once more: only who says `chat` pays for them.
  if (argv.includes('chat'))
    addChatOptions(named).addHelpText('after', examples('hermes chat', 'hermes chat --plan --model NAME'));
  named.action((words: string[], _raw: RawChatOptions, command: Command) => chat(words, command.optsWithGlobals()));
  const command = (run: CommandRun) => found({ kind: 'command', run });
  for (const { heading, commands } of GROUPS) {
    program.commandsGroup(heading);
    for (const [describe, ...names] of commands)
      describe(
        program,
        command,
        names.some((name) => argv.includes(name)),
      );
  }
  return program;
}

/** All commands with all that is in them, for whoever wants to know what there is. */
export function describeEverything(): Command {
  const names = describeCommands([], () => undefined).commands.map((command) => command.name());
  return describeCommands(names, () => undefined);
}

/** `hermes --json sessions list` asks for the same as `hermes sessions list --json`. */
function passOnJson(command: Command): void {
  const takesJson = command.options.some((option) => option.long === '--json');
  for (let above = command.parent; above !== null; above = above.parent) {
    if (above.opts()['json'] === true && takesJson) command.setOptionValue('json', true);
  }
}
