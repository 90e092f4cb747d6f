import type { Message } from '../../src/base/index.ts';
import type { Compression } from '../../src/contracts/index.ts';

/**
 * A lineage in memory that behaves like the store: every message that is not a copy is kept with a number, and the
 * conversation continues with the result of a compression.
 */
export interface StoredLineage {
  /** The messages that are sent to the model now. */
  conversation(): Message[];
  /** The number of each of these messages. */
  numbers(): number[];
  /** All messages by number, from 1. */
  readonly originals: readonly Message[];
  append(messages: readonly Message[]): void;
  /** Applies a compression like the agent: opens a child with copies of the kept messages and the new ones. */
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
