import type { SlashCommand } from '../slash-command.ts';

/** Commands that look and change nothing. */
export const INFORMATION_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'status',
    group: 'information',
    about: 'show session, model and folders of this chat',
    duringTurn: 'at once',
    run: async (context) => (await import('../commands/session-information.ts')).statusCommand(context),
  },
  {
    name: 'usage',
    group: 'information',
    about: 'show tokens, cache hits and cost of this session',
    duringTurn: 'at once',
    run: async (context) => (await import('../commands/session-information.ts')).usageCommand(context),
  },
  {
    name: 'context',
    aliases: ['ctx'],
    group: 'information',
    about: 'show what fills the window: prompt, tools, history',
    duringTurn: 'at once',
    run: async (context) => (await import('../commands/session-information.ts')).contextCommand(context),
  },
  {
    name: 'insights',
    group: 'information',
    about: 'show what was done and spent in 30 days, or in others',
    argument: '[DAYS]',
    examples: [{ line: '/insights 7', does: 'the last week' }],
    duringTurn: 'at once',
    run: async (context, argument) =>
      (await import('../commands/session-information.ts')).insightsCommand(context, argument),
  },
];
