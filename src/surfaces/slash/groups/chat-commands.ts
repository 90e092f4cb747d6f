import type { SlashCommand } from '../slash-command.ts';
import { VERBOSITIES } from '../slash-context.ts';

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
    run: async (context, argument) => (await import('../commands/chat.ts')).copyCommand(context, argument),
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
    name: 'verbose',
    group: 'chat',
    about: 'show how much of a turn is shown, or change it: quiet, normal, full',
    argument: '[LEVEL]',
    examples: [{ line: '/verbose full', does: 'also what was thought, and what tools found' }],
    surfaces: ['terminal'],
    duringTurn: 'at once',
    complete: async (_, typed) => (await import('../completions.ts')).completeWord(VERBOSITIES, typed),
    run: async (context, level) => (await import('../commands/chat.ts')).verboseCommand(context, level),
  },
  {
    name: 'clear',
    group: 'chat',
    about: 'clear the screen and begin a new session',
    surfaces: ['terminal'],
    duringTurn: 'afterwards',
    async run(context) {
      context.terminal?.clearScreen();
      await (await import('../commands/sessions.ts')).newSessionCommand(context);
    },
  },
  {
    name: 'history',
    group: 'chat',
    about: 'show the last messages of the conversation, or more of them',
    argument: '[N]',
    examples: [{ line: '/history 30', does: 'the last thirty messages' }],
    duringTurn: 'at once',
    run: async (context, argument) => (await import('../commands/chat.ts')).historyCommand(context, argument),
  },
  {
    name: 'save',
    aliases: ['export'],
    group: 'chat',
    about: 'write the session into a new file: .md and .html to read, .jsonl to take in again',
    argument: '[FILE]',
    examples: [{ line: '/save talk.html', does: 'a page of the conversation' }],
    surfaces: ['terminal'],
    duringTurn: 'at once',
    run: async (context, file) => (await import('../commands/chat.ts')).saveCommand(context, file),
  },
  {
    name: 'help',
    aliases: ['?'],
    group: 'chat',
    requiredRole: 'guest',
    about: 'show the commands, or one of them with examples',
    argument: '[COMMAND]',
    examples: [{ line: '/help compress', does: 'all about one command' }],
    duringTurn: 'at once',
    complete: async ({ registry, surface }, typed) =>
      (await import('../completions.ts')).completeCommand(registry.listCommands(surface), typed),
    run: async (context, argument) => (await import('../commands/chat.ts')).helpCommand(context, argument),
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
