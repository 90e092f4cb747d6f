import type { SlashCommand } from '../slash-command.ts';

/** Commands about the chat itself and the place where it is held. */
export const CHAT_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'copy',
    group: 'chat',
    about: 'copy the last answer, or one before it',
    argument: '[N]',
    examples: [{ line: '/copy 2', does: 'the answer before the last one' }],
    surfaces: ['terminal'],
    duringTurn: 'at once',
    run: async (context, argument) => (await import('../commands/copy.ts')).copyCommand(context, argument),
  },
  {
    name: 'image',
    aliases: ['attach'],
    group: 'chat',
    about: 'attach an image or a PDF file to the next message; none takes all out again',
    argument: '[PATH | none]',
    surfaces: ['terminal'],
    duringTurn: 'at once',
    run: async ({ terminal, print }, path) => print((await terminal?.attach(path)) ?? ''),
  },
  {
    name: 'help',
    aliases: ['?'],
    group: 'chat',
    about: 'show the commands, or one of them with examples',
    argument: '[COMMAND]',
    examples: [{ line: '/help compress', does: 'all about one command' }],
    duringTurn: 'at once',
    complete: async ({ registry, surface }, typed) =>
      (await import('../completions.ts')).completeCommand(registry.listCommands(surface), typed),
    run: async (context, argument) => (await import('../commands/help.ts')).helpCommand(context, argument),
  },
  {
    name: 'quit',
    aliases: ['exit', 'q'],
    group: 'chat',
    about: 'leave',
    surfaces: ['terminal'],
    duringTurn: 'afterwards',
    run: ({ terminal }) => terminal?.leave(),
  },
];
