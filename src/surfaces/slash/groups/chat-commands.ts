import { THEMES } from '../../../config/index.ts';
import type { SlashCommand } from '../slash-command.ts';
import { VERBOSITIES } from '../slash-context.ts';

/** Commands about the chat itself and its terminal. */
export const CHAT_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'copy',
    group: 'chat',
    about: 'copy the last answer, or the Nth last, to the clipboard',
    argument: '[N]',
    examples: [{ line: '/copy 2', does: 'the answer before the last one' }],
    surfaces: ['terminal'],
    duringTurn: 'immediately',
    run: async (context, argument) => (await import('../commands/chat.ts')).copyCommand(context, argument),
  },
  {
    name: 'image',
    aliases: ['attach'],
    group: 'chat',
    about: 'attach an image or a PDF file to the next message; none removes all',
    argument: '[PATH | none]',
    surfaces: ['terminal'],
    duringTurn: 'immediately',
    run: async ({ terminal, print }, path) => print((await terminal?.attach(path)) ?? ''),
  },
  {
    name: 'verbose',
    group: 'chat',
    about: 'show or set how much of a turn is displayed: quiet, normal, full',
    argument: '[LEVEL]',
    examples: [{ line: '/verbose full', does: 'also shows reasoning and tool results' }],
    surfaces: ['terminal'],
    duringTurn: 'immediately',
    complete: async (_, typed) => (await import('../completions.ts')).completeWord(VERBOSITIES, typed),
    run: async (context, level) => (await import('../commands/chat.ts')).verboseCommand(context, level),
  },
  {
    name: 'theme',
    group: 'chat',
    about: 'select the colours of the screen and save them',
    argument: '[NAME]',
    examples: [{ line: '/theme light', does: 'for a light background' }],
    surfaces: ['terminal'],
    duringTurn: 'immediately',
    complete: async (_, typed) => (await import('../completions.ts')).completeWord(THEMES, typed),
    run: async (context, name) => (await import('../commands/theme.ts')).themeCommand(context, name),
  },
  {
    name: 'clear',
    group: 'chat',
    about: 'clear the screen and start a new session',
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
    about: 'show the last N messages of the conversation',
    argument: '[N]',
    examples: [{ line: '/history 30', does: 'the last 30 messages' }],
    onlyReads: true,
    duringTurn: 'immediately',
    run: async (context, argument) => (await import('../commands/chat.ts')).historyCommand(context, argument),
  },
  {
    name: 'save',
    aliases: ['export'],
    group: 'chat',
    about: 'export the session to a new file: .md and .html to read, .jsonl to import again',
    argument: '[FILE]',
    examples: [{ line: '/save talk.html', does: 'exports the conversation as a web page' }],
    surfaces: ['terminal'],
    duringTurn: 'immediately',
    run: async (context, file) => (await import('../commands/chat.ts')).saveCommand(context, file),
  },
  {
    name: 'help',
    aliases: ['?'],
    group: 'chat',
    requiredRole: 'guest',
    about: 'list the commands, or show one with examples',
    argument: '[COMMAND]',
    examples: [{ line: '/help compress', does: 'shows the details of one command' }],
    onlyReads: true,
    duringTurn: 'immediately',
    complete: async ({ registry, surface }, typed) =>
      (await import('../completions.ts')).completeCommand(registry.listCommands(surface), typed),
    run: async (context, argument) => (await import('../commands/chat.ts')).helpCommand(context, argument),
  },
  {
    name: 'quit',
    aliases: ['exit', 'q'],
    group: 'chat',
    about: 'exit Hermes',
    surfaces: ['terminal'],
    duringTurn: 'afterwards',
    run: ({ terminal }) => terminal?.leave(),
  },
];
