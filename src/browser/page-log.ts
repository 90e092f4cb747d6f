import { shorten } from '../util/index.ts';

/** What a page wrote to its console, the newest of it. */
export interface PageLog {
  add(kind: string, text: string): void;
  messages(): readonly string[];
  dropped(): number;
  clear(): void;
}

const MOST_MESSAGES = 200;
const MOST_OF_ONE = 1000;

export function createPageLog(): PageLog {
  const kept: string[] = [];
  let dropped = 0;
  return {
    add(kind, text) {
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
  };
}
