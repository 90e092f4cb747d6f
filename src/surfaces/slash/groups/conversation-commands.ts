import { NOT_IN_EDITORS, type SlashCommand } from '../slash-command.ts';

const undo = () => import('../commands/undo.ts');
const resume = () => import('../commands/sessions.ts');

/** Commands that switch sessions or change the conversation. */
export const CONVERSATION_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'new',
    aliases: ['reset'],
    group: 'conversation',
    about: 'start a new session',
    surfaces: NOT_IN_EDITORS,
    duringTurn: 'afterwards',
    run: async (context) => (await import('../commands/sessions.ts')).newSessionCommand(context),
  },
  {
    name: 'undo',
    group: 'conversation',
    about: 'undo the last turn, or the last N; the message returns to the input line',
    argument: '[N]',
    examples: [
      { line: '/undo', does: 'removes the last message and everything after it' },
      { line: '/undo 3', does: 'the last three turns' },
    ],
    duringTurn: 'refused',
    run: async (context, argument) => (await undo()).undoCommand(context, argument),
  },
  {
    name: 'redo',
    group: 'conversation',
    about: 'restore what was undone, unless a message was sent since',
    duringTurn: 'refused',
    run: async (context) => (await undo()).redoCommand(context),
  },
  {
    name: 'retry',
    group: 'conversation',
    about: 'remove the last answer and send the last message again',
    duringTurn: 'refused',
    run: async (context) => (await undo()).retryCommand(context),
  },
  {
    name: 'branch',
    aliases: ['fork'],
    group: 'conversation',
    about: 'continue in a copy of the session; the original stays unchanged',
    argument: '[TITLE]',
    examples: [{ line: '/branch Another way', does: 'continues in a copy with this title' }],
    surfaces: NOT_IN_EDITORS,
    duringTurn: 'refused',
    run: async (context, title) => (await resume()).branchCommand(context, title),
  },
  {
    name: 'resume',
    group: 'conversation',
    about: 'continue another session in this chat',
    argument: '[SESSION]',
    examples: [{ line: '/resume Moving house', does: 'by title, id, or prefix of an id' }],
    surfaces: NOT_IN_EDITORS,
    duringTurn: 'refused',
    complete: async (context, typed) => (await import('../completions.ts')).completeSession(context, typed),
    run: async (context, reference) => (await resume()).resumeCommand(context, reference),
  },
  {
    name: 'title',
    group: 'conversation',
    about: 'show or set the title of the session',
    argument: '[TEXT]',
    examples: [{ line: '/title Moving house', does: 'the session can be resumed by this title' }],
    duringTurn: 'immediately',
    run: async (context, text) => (await import('../commands/sessions.ts')).titleCommand(context, text),
  },
  {
    name: 'compress',
    aliases: ['compact'],
    group: 'conversation',
    about: 'compress the conversation; --preview only shows the savings',
    argument: '[TOPIC | --preview]',
    examples: [
      { line: '/compress', does: 'replaces older messages with a summary' },
      { line: '/compress the tests', does: 'the summary focuses on this topic' },
    ],
    duringTurn: 'afterwards',
    complete: (_, typed) => ('--preview'.startsWith(typed) ? [{ value: '--preview', about: 'changes nothing' }] : []),
    run: async (context, argument) => (await import('../commands/sessions.ts')).compressCommand(context, argument),
  },
  {
    name: 'sessions',
    group: 'conversation',
    about: 'list the most recent sessions',
    onlyReads: true,
    duringTurn: 'immediately',
    run: async (context) => (await import('../commands/sessions.ts')).sessionsCommand(context),
  },
];
