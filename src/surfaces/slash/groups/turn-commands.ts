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
];
