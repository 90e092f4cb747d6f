import { cleanInput } from './clean-input.ts';

/** Messages that arrive while a turn runs, waiting for the next request that can carry them. */
export interface Steering {
  add(text: string): void;
  /** All that waits, as one text; empties the queue. */
  take(): string | undefined;
}

export function createSteering(): Steering {
  const waiting: string[] = [];
  return {
    add(text) {
      const clean = cleanInput(text).trim();
      if (clean !== '') waiting.push(clean);
    },
    take() {
      return waiting.length === 0 ? undefined : waiting.splice(0).join('\n\n');
    },
  };
}

/** How a steered message stands at the end of a tool result. */
export function steeringBlock(text: string): string {
  return `\n\n[Message from the user, sent while you were working]\n${text}\n[End of the user's message]`;
}
