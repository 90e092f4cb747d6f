import { cleanInput } from './recall-scrubber.ts';

/** Messages that arrive while a turn runs, waiting for the next request that can carry them. */
export interface Steering {
  /** False where nothing will be delivered any more. */
  add(text: string): boolean;
  /** Hands over all that waits, as one text. What could not be delivered waits again. */
  deliver(deliver: (text: string | undefined) => Promise<void>): Promise<string | undefined>;
  /** Ends the queue; what is left was never delivered. */
  close(): string | undefined;
}

export function createSteering(): Steering {
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
      const text = take();
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
