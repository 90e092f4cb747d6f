import type { TurnRunner } from './turn-runner.ts';

export interface InterruptKey {
  press(typed: string): void;
  /** Called when a line is typed or a turn starts: the next press counts as the first one again. */
  reset(): void;
}

/** Handles Ctrl-C: the first press interrupts the turn or clears the line, a second one in a row leaves. */
export function createInterruptKey(options: {
  turns: Pick<TurnRunner, 'isRunning' | 'interrupt'>;
  /** Prints a text below the line that was being typed. */
  say(text: string): void;
  prompt(): void;
  leave(): void;
  /** Kills what the interrupted turn runs, and leaves as soon as the turn is stored. */
  leaveNow(): void;
}): InterruptKey {
  const { turns, say, prompt, leave, leaveNow } = options;
  let pressed = false;

  function pressDuringTurn(): void {
    if (pressed) return leaveNow();
    pressed = true;
    say('Interrupting. Press Ctrl-C again to kill running commands and exit.\n');
    turns.interrupt();
  }

  return {
    press(typed) {
      if (turns.isRunning()) return pressDuringTurn();
      if (pressed && typed === '') return leave();
      pressed = typed === '';
      say(pressed ? 'Press Ctrl-C again to exit.\n' : '');
      return prompt();
    },
    reset() {
      pressed = false;
    },
  };
}
