import type { SlashCommand } from '../slash-command.ts';

/** Commands about the turn that runs, and those that come after it. */
export const TURN_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'stop',
    group: 'turn',
    about: 'interrupt the turn that runs',
    duringTurn: 'at once',
    run({ turns, print }) {
      if (turns.isRunning()) turns.interrupt();
      else print('No turn is running.\n');
    },
  },
  {
    name: 'steer',
    group: 'turn',
    about: 'hand words to the turn that runs; without one they are the next message',
    argument: 'TEXT',
    examples: [{ line: '/steer use the other branch', does: 'the model reads it with its next step' }],
    duringTurn: 'at once',
    run: async (context, text) => (await import('../commands/turns.ts')).steerCommand(context, text),
  },
  {
    name: 'queue',
    group: 'turn',
    about: 'keep a message until the turn is over; without words, show what waits',
    argument: '[TEXT]',
    examples: [{ line: '/queue then run the tests', does: 'the message after this turn' }],
    duringTurn: 'at once',
    run: async (context, text) => (await import('../commands/turns.ts')).queueCommand(context, text),
  },
  {
    name: 'background',
    aliases: ['bg'],
    group: 'turn',
    about: 'work on a prompt beside the chat, in a session of its own',
    argument: '[PROMPT | stop N]',
    examples: [
      { line: '/background look for dead links in docs', does: 'its result is announced' },
      { line: '/background', does: 'what runs, and what has ended' },
      { line: '/background stop 1', does: 'ends the first one' },
    ],
    duringTurn: 'at once',
    run: async (context, argument) => (await import('../commands/turns.ts')).backgroundCommand(context, argument),
  },
];
