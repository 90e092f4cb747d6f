import type { Clock } from '../../../base/index.ts';
import { ChannelError, type Fill, type Rate, type RateRules } from '../../../contracts/index.ts';

/** Calls to a platform, most important first. From `edit` on, only the newest call of a kind matters. */
export const CALL_PRIORITIES = ['control', 'final', 'question', 'edit', 'progress', 'typing'] as const;
export type CallPriority = (typeof CALL_PRIORITIES)[number];

export type ScheduledCall<Value> = {
  chatId: string;
  isGroup: boolean;
  priority: CallPriority;
  /** What the call shows, such as a turn. From `edit` on, a call replaces earlier ones about the same subject. */
  subject?: string;
  /** Whether the platform counts the call as a message of the chat; true by default. */
  isCounted?: boolean;
  /** Aborting it drops the call if it has not started. */
  signal?: AbortSignal;
  run(): Promise<Value>;
};

/** Starts all calls of one bot account, so that none exceeds the rate limits of the platform. */
export interface RateScheduler {
  /**
   * Runs a call when the limits allow it. Returns `dropped` if it is no longer worth it: a newer call of the same
   * priority about the same subject replaced it, its signal was aborted, the platform does not accept calls for the
   * chat at the moment, or too many calls wait.
   */
  schedule<Value>(call: ScheduledCall<Value>): Promise<Value | 'dropped'>;
  readonly waiting: number;
  listFills(): Fill[];
}

/** With so many waiting calls, those that only show progress are dropped. */
const MAX_CALLS = 1000;
/** The limits of so many chats are remembered. */
const MAX_CHATS = 10_000;

type Entry = {
  call: ScheduledCall<unknown>;
  sequence: number;
  settle(result: Promise<unknown>): void;
};

export function createRateScheduler(rates: RateRules, clock: Clock): RateScheduler {
  const account = createBucket(rates.account);
  const chats = createAllLimits(rates);
  let entries: Entry[] = [];
  let sequence = 0;
  let timer: AbortController | undefined;
  // The system time may be set while a chat is closed.
  const now = () => clock.monotonic?.() ?? clock.now();

  function drop(dropped: (entry: Entry) => boolean): void {
    const gone = entries.filter(dropped);
    if (gone.length === 0) return;
    entries = entries.filter((entry) => !gone.includes(entry));
    for (const { settle } of gone) settle(Promise.resolve('dropped'));
  }

  function start(entry: Entry): void {
    entries = entries.filter((other) => other !== entry);
    account.take(now());
    chats.of(entry.call).take(entry.call, now());
    const result = entry.call.run();
    result.catch((thrown: unknown) => closeFor(entry.call, thrown));
    entry.settle(result);
  }

  /** After a rate limit, nothing is sent to the chat for as long as the platform says. */
  function closeFor(call: ScheduledCall<unknown>, thrown: unknown): void {
    if (!(thrown instanceof ChannelError) || thrown.fault !== 'rate_limited') return;
    chats.of(call).close(now() + (thrown.retryAfterMs ?? DEFAULT_RETRY_MS));
    drop((entry) => entry.call.chatId === call.chatId && isReplaceable(entry.call));
  }

  function startReady(): void {
    timer?.abort();
    const readyAt = ({ call }: Entry) => Math.max(account.readyAt(), chats.of(call).readyAt(call));
    for (let next = entries.find((entry) => readyAt(entry) <= now()); next !== undefined; ) {
      start(next);
      next = entries.find((entry) => readyAt(entry) <= now());
    }
    chats.forgetIdle(now());
    if (entries.length === 0) return;
    const waking = new AbortController();
    timer = waking;
    const earliest = Math.min(...entries.map(readyAt));
    clock.sleep(Math.max(1, earliest - now()), waking.signal).then(startReady, () => undefined);
  }

  return {
    get waiting() {
      return entries.length;
    },
    listFills: () => [
      { name: 'calls that wait for rate limits', used: entries.length, limit: MAX_CALLS },
      { name: 'chats with rate limits', used: chats.size(), limit: MAX_CHATS },
    ],
    schedule<Value>(call: ScheduledCall<Value>): Promise<Value | 'dropped'> {
      if (call.signal?.aborted) return Promise.resolve('dropped');
      if (isReplaceable(call)) {
        if (entries.length >= MAX_CALLS || chats.of(call).isClosed(now())) return Promise.resolve('dropped');
        drop(({ call: other }) => isReplacedBy(other, call));
      }
      return new Promise((resolve, reject) => {
        const settle = (result: Promise<unknown>) => {
          call.signal?.removeEventListener('abort', onAbort);
          result.then((value) => resolve(value as Value), reject);
        };
        const entry: Entry = { call, sequence: (sequence += 1), settle };
        const onAbort = () => drop((other) => other === entry);
        call.signal?.addEventListener('abort', onAbort);
        entries.push(entry);
        entries.sort((a, b) => rankOf(a) - rankOf(b) || a.sequence - b.sequence);
        startReady();
      });
    },
  };
}

/** For a platform that does not say how long to wait. */
const DEFAULT_RETRY_MS = 5000;

function rankOf({ call }: Entry): number {
  return CALL_PRIORITIES.indexOf(call.priority);
}

function isReplaceable({ priority }: ScheduledCall<unknown>): boolean {
  return CALL_PRIORITIES.indexOf(priority) >= CALL_PRIORITIES.indexOf('edit');
}

/** Several turns can run in one group, so a call replaces only those of its own turn. */
function isReplacedBy(other: ScheduledCall<unknown>, { chatId, priority, subject }: ScheduledCall<unknown>): boolean {
  return other.chatId === chatId && other.priority === priority && other.subject === subject;
}

/**
 * The limits of one chat. Edits count as messages, but a message never waits for them: otherwise an answer or a command
 * would be late because of the progress that was shown before. Edits wait for both.
 */
type ChatLimits = {
  readyAt(call: ScheduledCall<unknown>): number;
  take(call: ScheduledCall<unknown>, now: number): void;
  close(until: number): void;
  isClosed(now: number): boolean;
  /** Whether it has no memory of earlier calls any more. */
  isIdle(now: number): boolean;
};

/** The limits of all chats that were called recently. */
function createAllLimits(rates: RateRules) {
  const chats = new Map<string, ChatLimits>();
  return {
    of({ chatId, isGroup }: ScheduledCall<unknown>): ChatLimits {
      const known = chats.get(chatId);
      if (known !== undefined) return known;
      const made = createChatLimits(isGroup ? (rates.group ?? rates.chat) : rates.chat);
      chats.set(chatId, made);
      const [oldest] = chats.keys();
      if (chats.size > MAX_CHATS && oldest !== undefined) chats.delete(oldest);
      return made;
    },
    forgetIdle(now: number): void {
      for (const [chatId, limits] of chats) if (limits.isIdle(now)) chats.delete(chatId);
    },
    size: () => chats.size,
  };
}

function createChatLimits(rate: Rate): ChatLimits {
  const messages = createBucket(rate);
  const all = createBucket(rate);
  let closedUntil = Number.NEGATIVE_INFINITY;
  return {
    readyAt(call) {
      if (call.isCounted === false) return closedUntil;
      return Math.max(closedUntil, (isReplaceable(call) ? all : messages).readyAt());
    },
    take(call, now) {
      if (call.isCounted === false) return;
      all.take(now);
      if (!isReplaceable(call)) messages.take(now);
    },
    close(until) {
      closedUntil = Math.max(closedUntil, until);
    },
    isClosed: (now) => now < closedUntil,
    isIdle: (now) => now >= closedUntil && all.isIdle(now) && messages.isIdle(now),
  };
}

/** Allows a number of calls together, and then one each time the share of the period has passed. */
type Bucket = { readyAt(): number; take(now: number): void; isIdle(now: number): boolean };

function createBucket({ count, perMs }: Rate): Bucket {
  const interval = perMs / count;
  /** When the bucket would be full again. */
  let fullAt = Number.NEGATIVE_INFINITY;
  return {
    readyAt: () => fullAt - (perMs - interval),
    take(now) {
      fullAt = Math.max(fullAt, now) + interval;
    },
    isIdle: (now) => now >= fullAt,
  };
}
