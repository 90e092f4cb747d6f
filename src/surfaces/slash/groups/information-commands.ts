import type { SlashCommand } from '../slash-command.ts';

/** Read-only commands. */
export const INFORMATION_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'status',
    group: 'information',
    about: 'show the session, model and paths of this chat',
    onlyReads: true,
    duringTurn: 'immediately',
    run: async (context) => (await import('../commands/session-information.ts')).statusCommand(context),
  },
  {
    name: 'usage',
    aliases: ['cost'],
    group: 'information',
    about: 'show tokens, cache hits and cost of this session',
    onlyReads: true,
    duringTurn: 'immediately',
    run: async (context) => (await import('../commands/usage.ts')).usageCommand(context),
  },
  {
    name: 'context',
    aliases: ['ctx'],
    group: 'information',
    about: 'show what fills the context window: prompt, tools, history',
    onlyReads: true,
    duringTurn: 'immediately',
    run: async (context) => (await import('../commands/session-information.ts')).contextCommand(context),
  },
  {
    name: 'insights',
    group: 'information',
    about: 'show activity and cost of the last 30 days, or of DAYS days',
    argument: '[DAYS]',
    examples: [{ line: '/insights 7', does: 'the last week' }],
    onlyReads: true,
    duringTurn: 'immediately',
    run: async (context, argument) =>
      (await import('../commands/session-information.ts')).insightsCommand(context, argument),
  },
];
