import { cleanInput } from './recall-scrubber.ts';

/** Steered messages that wait for the next request that can carry them. */
export interface Steering {
  /** Returns false if the turn has ended and nothing will be delivered. */
  add(text: string): boolean;
  /** Delivers all waiting messages as one text. If `deliver` throws, they wait again. */
  deliver(deliver: (text: string | undefined) => Promise<void>): Promise<string | undefined>;
  /** Closes the queue and returns what was not delivered. */
  close(): string | undefined;
}

/** After `signal` has aborted, nothing is delivered: no request would carry it, so the messages go back to the user. */
export function createSteering(signal: AbortSignal): Steering {
  const waiting: string[] = [];
  let open = true;
  const take = () => (waiting.length === 0 ? undefined : waiting.splice(0).join('\n\n'));
  return {
    add(text) {
      const clean = cleanInput(text).trim();
      if (open && clean !== '') waiting.push(clean);
      return open;
    },
    async deliver(deliver) {
      const text = signal.aborted ? undefined : take();
      try {
        await deliver(text);
        return text;
      } catch (thrown) {
        if (text !== undefined) waiting.unshift(text);
        throw thrown;
      }
    },
    close() {
      open = false;
      return take();
    },
  };
}
