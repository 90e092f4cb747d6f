import type { Message } from '../../src/base/index.ts';
import type { Compression } from '../../src/contracts/index.ts';

/**
 * A lineage as the store keeps it, in memory: every message that is no copy stays and has a number, and the conversation
 * goes on in what a compression left of it.
 */
export interface StoredLineage {
  /** What the model is sent now. */
  conversation(): Message[];
  /** The number of each of these. */
  numbers(): number[];
  /** Everything that was ever said, by number from 1. */
  readonly originals: readonly Message[];
  append(messages: readonly Message[]): void;
  /** What the agent does with a compression: it opens a child with copies of what is kept, and what is new. */
  split(compression: Compression): void;
}

export function createStoredLineage(): StoredLineage {
  const originals: Message[] = [];
  let current: { message: Message; number: number }[] = [];
  const add = (message: Message) => ({ message, number: originals.push(message) });
  return {
    originals,
    conversation: () => current.map(({ message }) => message),
    numbers: () => current.map(({ number }) => number),
    append(messages) {
      current.push(...messages.map(add));
    },
    split({ messages }) {
      const before = current;
      current = messages.map((each) => {
        if (!('index' in each)) return add(each.message);
        const { message, number } = before[each.index] as (typeof before)[number];
        return { message: each.message ?? message, number };
      });
    },
  };
}
