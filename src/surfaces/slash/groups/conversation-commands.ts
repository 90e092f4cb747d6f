import { describeChain } from '../../../runtime/index.ts';
import { showable } from '../../text/style.ts';
import type { SlashCommand } from '../slash-command.ts';

/** Commands that change which conversation it is, or what is in it. */
export const CONVERSATION_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'new',
    aliases: ['reset'],
    group: 'conversation',
    about: 'begin a new session',
    duringTurn: 'afterwards',
    async run({ session, print }) {
      const models = await session.startNew();
      print(`A new session has begun, with ${showable(describeChain(models.routes()))}.\n`);
    },
  },
  {
    name: 'title',
    group: 'conversation',
    about: 'show the title of the session, or give it one',
    argument: '[TEXT]',
    examples: [{ line: '/title Moving house', does: 'it can be resumed by this name' }],
    duringTurn: 'at once',
    run: async (context, text) => (await import('../commands/title.ts')).titleCommand(context, text),
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
    run: async (context, argument) => (await import('../commands/compress.ts')).compressCommand(context, argument),
  },
  {
    name: 'sessions',
    group: 'conversation',
    about: 'show the newest sessions',
    duringTurn: 'at once',
    run: async (context) => (await import('../commands/sessions.ts')).sessionsCommand(context),
  },
];
