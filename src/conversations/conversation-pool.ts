import { type Clock, HermesError } from '../base/index.ts';
import { createSemaphore } from '../util/index.ts';
import type { Conversation } from './conversation.ts';

/** Open conversations by key. Opening one is cheap, so idle ones are closed after a short time. */
export interface ConversationPool {
  /**
   * Runs a task with the conversation of a key, which is opened on demand and stays open until the task is done.
   * Waits while the maximum number of conversations is in use.
   */
  use<Value>(key: string, task: (conversation: Conversation) => Promise<Value>): Promise<Value>;
  /** The conversation of a key, if it is open. */
  get(key: string): Conversation | undefined;
  readonly size: number;
  /** Closes all conversations and rejects new ones. */
  close(): Promise<void>;
}

export type ConversationPoolOptions = {
  open(key: string): Promise<Conversation>;
  clock: Clock;
  /** How long an unused conversation stays open; one minute by default. */
  idleMs?: number;
  /** How many conversations may be in use at the same time; 100 by default. */
  maxInUse?: number;
  /** How many unused conversations stay open; 200 by default. The one that was unused longest is closed first. */
  maxIdle?: number;
  /** Whether an unused conversation may be closed, for example because none of its processes runs; always by default. */
  mayClose?(conversation: Conversation): Promise<boolean>;
};

type Closing = { key: string; done: Promise<void> };
type Entry = { opening: Promise<Conversation>; conversation?: Conversation; users: number; idle?: AbortController };

const DEFAULT_IDLE_MS = 60_000;
const DEFAULT_MAX_IN_USE = 100;
const DEFAULT_MAX_IDLE = 200;

export function createConversationPool(options: ConversationPoolOptions): ConversationPool {
  const { maxInUse = DEFAULT_MAX_IN_USE, maxIdle = DEFAULT_MAX_IDLE } = options;
  const entries = new Map<string, Entry>();
  const closing = new Set<Closing>();
  const slots = createSemaphore(maxInUse);
  let closed = false;

  /**
   * Opens a conversation. Closing an agent kills the processes of its session, so a new conversation waits until the
   * previous one with the same key is closed.
   */
  async function open(key: string): Promise<Conversation> {
    const before = [...closing].filter((other) => other.key === key);
    await Promise.all(before.map(({ done }) => done));
    return options.open(key);
  }

  function take(key: string): Entry {
    if (closed) throw new HermesError('The conversation pool is closed.');
    const known = entries.get(key);
    if (known !== undefined) {
      known.users += 1;
      known.idle?.abort();
      return known;
    }
    const entry: Entry = { opening: open(key), users: 1 };
    entries.set(key, entry);
    return entry;
  }

  function remove(key: string, entry: Entry): void {
    entry.idle?.abort();
    entries.delete(key);
    const done = entry.opening.then((conversation) => conversation.close()).catch(() => undefined);
    const task = { key, done };
    closing.add(task);
    void done.finally(() => closing.delete(task));
  }

  function release(key: string, entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0 || entries.get(key) !== entry) return;
    if (entry.conversation === undefined) return void entries.delete(key);
    // The order of the map is the order of the last use.
    entries.delete(key);
    entries.set(key, entry);
    const idle = new AbortController();
    entry.idle = idle;
    untilIdle(options, entry.conversation, idle.signal).then(
      () => remove(key, entry),
      () => undefined,
    );
    const unused = [...entries].filter(([, { users }]) => users === 0);
    for (const [oldest, other] of unused.slice(0, Math.max(0, unused.length - maxIdle))) remove(oldest, other);
  }

  return {
    async use(key, task) {
      return slots.use(async () => {
        const entry = take(key);
        try {
          entry.conversation = await entry.opening;
          return await task(entry.conversation);
        } finally {
          release(key, entry);
        }
      });
    },
    get: (key) => entries.get(key)?.conversation,
    get size() {
      return entries.size;
    },
    async close() {
      closed = true;
      for (const [key, entry] of entries) remove(key, entry);
      await Promise.all([...closing].map(({ done }) => done));
    },
  };
}

/** Resolves when a conversation was idle for long enough and may be closed. Rejects when it is used again. */
async function untilIdle(
  { clock, idleMs = DEFAULT_IDLE_MS, mayClose = async () => true }: ConversationPoolOptions,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.sleep(idleMs, signal);
    const isOver = await mayClose(conversation).catch(() => true);
    signal.throwIfAborted();
    if (isOver) return;
  }
}
