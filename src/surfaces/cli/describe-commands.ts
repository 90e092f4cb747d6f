import type { Command } from 'commander';
import { describeApprovals } from './approvals/describe-approvals.ts';
import { describeAuth } from './auth/describe-auth.ts';
import { describeBackup } from './backup/describe-backup.ts';
import { describeBatch } from './batch/describe-batch.ts';
import { addChatOptions, type RawChatOptions, toChatOptions } from './chat-arguments.ts';
import type { CommandRun } from './chat-options.ts';
import { describeCheckpoints } from './checkpoints/describe-checkpoints.ts';
import { describeCompletion } from './completion/describe-completion.ts';
import { describeConfig } from './config/describe-config.ts';
import { describeProgram, type FoundRequest } from './describe-program.ts';
import { describeDoctor } from './doctor/describe-doctor.ts';
import { describeDump } from './dump/describe-dump.ts';
import { describeFallback } from './fallback/describe-fallback.ts';
import { examples } from './help/examples.ts';
import { describeHooks } from './hooks/describe-hooks.ts';
import { describeInsights } from './insights/describe-insights.ts';
import { describeLogs } from './logs/describe-logs.ts';
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

/** Adds what can be called by name, as far as these words need it. */
export function describeCommands(program: Command, argv: readonly string[], found: FoundRequest): void {
  describeChat(program, argv, found);
  const command = (run: CommandRun) => found({ kind: 'command', run });
  for (const { heading, commands } of GROUPS) {
    program.commandsGroup(heading);
    for (const [describe, ...names] of commands) {
      const inFull = names.some((name) => argv.includes(name));
      describe(program, command, inFull);
    }
  }
}

/** The options of a chat once more: only who says `chat` pays for them. */
function describeChat(program: Command, argv: readonly string[], found: FoundRequest): void {
  const chat = program
    .command('chat')
    .helpGroup(CHAT_GROUP)
    .description('chat in the terminal, or answer one prompt')
    .summary('the same; `hermes chat --help` has all its options');
  if (argv.includes('chat'))
    addChatOptions(chat).addHelpText('after', examples('hermes chat', 'hermes chat --plan --model NAME'));
  chat.action((words: string[], _raw: RawChatOptions, command: Command) =>
    found({ kind: 'chat', options: toChatOptions(words, command.optsWithGlobals()) }),
  );
}

/** All commands with all that is in them, for whoever wants to know what there is. */
export function describeEverything(): Command {
  const [brief, full] = [describeProgram(ignore), describeProgram(ignore)];
  describeCommands(brief, [], ignore);
  const names = brief.commands.map((command) => command.name());
  describeCommands(full, names, ignore);
  return full;
}

function ignore(): void {}
