import { exitFacts } from '../../../base/index.ts';
import type { TurnRunner } from './turn-runner.ts';

export interface InterruptKey {
  press(typed: string): void;
  /** A line was typed or a turn begins: the next press is a first one again. */
  forget(): void;
}

/** Ctrl-C: the first press interrupts the turn, or clears the line; a second one in a row leaves. */
export function createInterruptKey(options: {
  turns: Pick<TurnRunner, 'isRunning' | 'interrupt'>;
  /** Says something below the line that was being typed. */
  say(text: string): void;
  prompt(): void;
  leave(): void;
  exit?(code: number): void;
}): InterruptKey {
  const { turns, say, prompt, leave, exit = process.exit } = options;
  let pressed = false;

  function pressDuringTurn(): void {
    // A turn that does not end at once is left behind; all it did is stored.
    if (pressed) exit(exitFacts('interrupted').exitCode);
    pressed = true;
    say('Interrupting; Ctrl-C again leaves at once.\n');
    turns.interrupt();
  }

  return {
    press(typed) {
      if (turns.isRunning()) return pressDuringTurn();
      if (pressed && typed === '') return leave();
      pressed = typed === '';
      say(pressed ? 'Ctrl-C again leaves.\n' : '');
      return prompt();
    },
    forget() {
      pressed = false;
    },
  };
}
