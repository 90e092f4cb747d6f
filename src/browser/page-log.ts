import { shorten } from '../util/index.ts';

/** What a page wrote to its console, the newest of it. */
export interface PageLog {
  add(kind: string, text: string): void;
  messages(): readonly string[];
  dropped(): number;
  clear(): void;
  /** For the call that begins now: what was written before does not count. */
  begin(): void;
}

const MOST_MESSAGES = 200;
const MOST_OF_ONE = 1000;
/** In one call. Each has to be taken from the browser: a page that writes without end would leave time for nothing else. */
const MOST_AT_ONCE = 5_000;

export function createPageLog(onFlood: () => void): PageLog {
  const kept: string[] = [];
  let dropped = 0;
  let count = 0;
  return {
    add(kind, text) {
      count += 1;
      if (count === MOST_AT_ONCE) onFlood();
      if (count >= MOST_AT_ONCE) return;
      kept.push(`${kind}: ${shorten(text, MOST_OF_ONE)}`);
      if (kept.length <= MOST_MESSAGES) return;
      kept.shift();
      dropped += 1;
    },
    messages: () => [...kept],
    dropped: () => dropped,
    clear() {
      kept.length = 0;
      dropped = 0;
    },
    begin() {
      count = 0;
    },
  };
}
