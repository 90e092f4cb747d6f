import type { SlashCommand } from '../slash-command.ts';

/** Commands about what the agent can do, and what it knows. */
export const TOOL_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'skills',
    group: 'tools',
    about: 'show the skills; /NAME, with words behind it, works by one',
    duringTurn: 'at once',
    run: async (context) => (await import('../commands/skills.ts')).skillsCommand(context),
  },
  {
    name: 'memory',
    group: 'tools',
    about: 'show what is remembered across sessions',
    duringTurn: 'at once',
    run: async ({ runtime, print }) =>
      print(await (await import('../../text/memory-text.ts')).memoryText(runtime.settings)),
  },
  {
    name: 'reload',
    group: 'tools',
    about: 'build the system prompt anew from its files, with the next message',
    duringTurn: 'at once',
    run({ session, print }) {
      session.opened().agent.renewPrompt();
      print('The system prompt is built anew with the next message.\n');
    },
  },
];
