import { NOT_IN_EDITORS, type SlashCommand } from '../slash-command.ts';

/** Commands about the running turn, queued messages and background turns. */
export const TURN_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'stop',
    group: 'turn',
    about: 'interrupt the running turn',
    onlyReads: true,
    surfaces: NOT_IN_EDITORS,
    duringTurn: 'immediately',
    run({ turns, print }) {
      if (turns.isRunning()) turns.interrupt();
      else print('No turn is running.\n');
    },
  },
  {
    name: 'steer',
    group: 'turn',
    about: 'pass a message to the running turn; between turns it is sent as usual',
    argument: 'TEXT',
    examples: [{ line: '/steer use the other branch', does: 'the model reads it at its next step' }],
    onlyReads: true,
    surfaces: NOT_IN_EDITORS,
    duringTurn: 'immediately',
    run: async (context, text) => (await import('../commands/turns.ts')).steerCommand(context, text),
  },
  {
    name: 'queue',
    group: 'turn',
    about: 'queue a message until the turn ends, or list the queue',
    argument: '[TEXT]',
    examples: [{ line: '/queue then run the tests', does: 'sends the message after this turn' }],
    onlyReads: true,
    surfaces: NOT_IN_EDITORS,
    duringTurn: 'immediately',
    run: async (context, text) => (await import('../commands/turns.ts')).queueCommand(context, text),
  },
  {
    name: 'background',
    aliases: ['bg'],
    group: 'turn',
    about: 'run a prompt in the background, in its own session',
    argument: '[PROMPT | stop N]',
    examples: [
      { line: '/background look for dead links in docs', does: 'prints the result when it has finished' },
      { line: '/background', does: 'lists running and finished background turns' },
      { line: '/background stop 1', does: 'interrupts the first one' },
    ],
    surfaces: NOT_IN_EDITORS,
    duringTurn: 'immediately',
    run: async (context, argument) => (await import('../commands/turns.ts')).backgroundCommand(context, argument),
  },
  {
    name: 'jobs',
    group: 'turn',
    about: 'list background processes, background turns and subagents; follow or stop one',
    argument: '[ID | stop ID]',
    examples: [
      { line: '/jobs', does: 'lists them; Enter shows the output of one, or stops it' },
      { line: '/jobs turn-1', does: 'shows what a background turn does; Esc returns' },
      { line: '/jobs stop turn-1', does: 'stops it' },
    ],
    surfaces: ['terminal'],
    duringTurn: 'immediately',
    run: async (context, argument) => (await import('../commands/jobs.ts')).jobsCommand(context, argument),
  },
];
