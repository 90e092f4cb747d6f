import type { SlashCommand } from '../slash-command.ts';

const undo = () => import('../commands/undo.ts');
const resume = () => import('../commands/sessions.ts');

/** Commands that change which conversation it is, or what is in it. */
export const CONVERSATION_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'new',
    aliases: ['reset'],
    group: 'conversation',
    about: 'begin a new session',
    duringTurn: 'afterwards',
    run: async (context) => (await import('../commands/sessions.ts')).newSessionCommand(context),
  },
  {
    name: 'undo',
    group: 'conversation',
    about: 'take back the last turn, or the last N; the text comes back to be changed',
    argument: '[N]',
    examples: [
      { line: '/undo', does: 'the last message and all that came of it' },
      { line: '/undo 3', does: 'the last three' },
    ],
    duringTurn: 'refused',
    run: async (context, argument) => (await undo()).undoCommand(context, argument),
  },
  {
    name: 'redo',
    group: 'conversation',
    about: 'bring back what was taken back, as long as nothing was said since',
    duringTurn: 'refused',
    run: async (context) => (await undo()).redoCommand(context),
  },
  {
    name: 'retry',
    group: 'conversation',
    about: 'send the last message again, without the answer it got',
    duringTurn: 'refused',
    run: async (context) => (await undo()).retryCommand(context),
  },
  {
    name: 'branch',
    aliases: ['fork'],
    group: 'conversation',
    about: 'go on in a copy of the session; the session itself stays as it is',
    argument: '[TITLE]',
    examples: [{ line: '/branch Another way', does: 'a copy that goes its own way' }],
    duringTurn: 'refused',
    run: async (context, title) => (await resume()).branchCommand(context, title),
  },
  {
    name: 'resume',
    group: 'conversation',
    about: 'go on with another session in this chat',
    argument: '[SESSION]',
    examples: [{ line: '/resume Moving house', does: 'by title, id, or the beginning of an id' }],
    duringTurn: 'refused',
    complete: async (context, typed) => (await import('../completions.ts')).completeSession(context, typed),
    run: async (context, reference) => (await resume()).resumeCommand(context, reference),
  },
  {
    name: 'title',
    group: 'conversation',
    about: 'show the title of the session, or give it one',
    argument: '[TEXT]',
    examples: [{ line: '/title Moving house', does: 'it can be resumed by this name' }],
    duringTurn: 'at once',
    run: async (context, text) => (await import('../commands/sessions.ts')).titleCommand(context, text),
  },
  {
    name: 'compress',
    aliases: ['compact'],
    group: 'conversation',
    about: 'make the conversation smaller; --preview only shows what it saves',
    argument: '[TOPIC | --preview]',
    examples: [
      { line: '/compress', does: 'what is long ago becomes a summary' },
      { line: '/compress the tests', does: 'the summary dwells on them' },
    ],
    duringTurn: 'afterwards',
    complete: (_, typed) => ('--preview'.startsWith(typed) ? [{ value: '--preview', about: 'changes nothing' }] : []),
    run: async (context, argument) => (await import('../commands/sessions.ts')).compressCommand(context, argument),
  },
  {
    name: 'sessions',
    group: 'conversation',
    about: 'show the newest sessions',
    duringTurn: 'at once',
    run: async (context) => (await import('../commands/sessions.ts')).sessionsCommand(context),
  },
];
