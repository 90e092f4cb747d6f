import type { Clock } from '../../../base/index.ts';
import { ChannelError, type Rate, type RateRules } from '../../../contracts/index.ts';

/** Calls to a platform, most important first. From `edit` on, only the newest call of a kind matters. */
export const CALL_PRIORITIES = ['control', 'final', 'question', 'edit', 'progress', 'typing'] as const;
export type CallPriority = (typeof CALL_PRIORITIES)[number];

export type ScheduledCall<Value> = {
  chatId: string;
  isGroup: boolean;
  priority: CallPriority;
  run(): Promise<Value>;
};

/** Starts all calls of one bot account, so that none exceeds the rate limits of the platform. */
export interface RateScheduler {
  /**
   * Runs a call when the limits allow it. Returns `dropped` if it is no longer worth it: a newer call of the same
   * priority for the same chat replaced it, or the platform does not accept calls for the chat at the moment.
   */
  schedule<Value>(call: ScheduledCall<Value>): Promise<Value | 'dropped'>;
  readonly waiting: number;
}

type Entry = {
  call: ScheduledCall<unknown>;
  sequence: number;
  settle(result: Promise<unknown>): void;
};

export function createRateScheduler(rates: RateRules, clock: Clock): RateScheduler {
  const account = createBucket(rates.account);
  const chats = new Map<string, Bucket>();
  let entries: Entry[] = [];
  let sequence = 0;
  let timer: AbortController | undefined;

  function bucketOf({ chatId, isGroup }: ScheduledCall<unknown>): Bucket {
    const known = chats.get(chatId);
    if (known !== undefined) return known;
    const made = createBucket(isGroup ? (rates.group ?? rates.chat) : rates.chat);
    chats.set(chatId, made);
    return made;
  }

  function drop(dropped: (entry: Entry) => boolean): void {
    const gone = entries.filter(dropped);
    entries = entries.filter((entry) => !dropped(entry));
    for (const { settle } of gone) settle(Promise.resolve('dropped'));
  }

  function start(entry: Entry): void {
    entries = entries.filter((other) => other !== entry);
    account.take(clock.now());
    bucketOf(entry.call).take(clock.now());
    const result = entry.call.run();
    result.catch((thrown: unknown) => closeFor(entry.call, thrown));
    entry.settle(result);
  }

  /** After a rate limit, nothing is sent to the chat for as long as the platform says. */
  function closeFor(call: ScheduledCall<unknown>, thrown: unknown): void {
    if (!(thrown instanceof ChannelError) || thrown.fault !== 'rate_limited') return;
    bucketOf(call).close(clock.now() + (thrown.retryAfterMs ?? DEFAULT_RETRY_MS));
    drop((entry) => entry.call.chatId === call.chatId && isReplaceable(entry.call));
  }

  function startReady(): void {
    timer?.abort();
    const readyAt = (entry: Entry) => Math.max(account.readyAt(), bucketOf(entry.call).readyAt());
    for (let next = entries.find((entry) => readyAt(entry) <= clock.now()); next !== undefined; ) {
      start(next);
      next = entries.find((entry) => readyAt(entry) <= clock.now());
    }
    forgetIdle(chats, clock.now());
    if (entries.length === 0) return;
    const waking = new AbortController();
    timer = waking;
    const earliest = Math.min(...entries.map(readyAt));
    clock.sleep(Math.max(1, earliest - clock.now()), waking.signal).then(startReady, () => undefined);
  }

  return {
    get waiting() {
      return entries.length;
    },
    schedule<Value>(call: ScheduledCall<Value>): Promise<Value | 'dropped'> {
      if (isReplaceable(call)) {
        if (bucketOf(call).isClosed(clock.now())) return Promise.resolve('dropped');
        drop(({ call: other }) => other.chatId === call.chatId && other.priority === call.priority);
      }
      return new Promise((resolve, reject) => {
        const settle = (result: Promise<unknown>) => void result.then((value) => resolve(value as Value), reject);
        entries.push({ call, sequence: (sequence += 1), settle });
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

/** Allows a number of calls together, and then one each time the share of the period has passed. */
type Bucket = {
  readyAt(): number;
  take(now: number): void;
  close(until: number): void;
  isClosed(now: number): boolean;
  /** Whether it has no memory of earlier calls any more. */
  isIdle(now: number): boolean;
};

function createBucket({ count, perMs }: Rate): Bucket {
  const interval = perMs / count;
  /** When the bucket would be full again. */
  let fullAt = 0;
  let closedUntil = 0;
  return {
    readyAt: () => Math.max(closedUntil, fullAt - (perMs - interval)),
    take(now) {
      fullAt = Math.max(fullAt, now) + interval;
    },
    close(until) {
      closedUntil = Math.max(closedUntil, until);
    },
    isClosed: (now) => now < closedUntil,
    isIdle: (now) => now >= fullAt && now >= closedUntil,
  };
}

function forgetIdle(chats: Map<string, Bucket>, now: number): void {
  for (const [chatId, bucket] of chats) if (bucket.isIdle(now)) chats.delete(chatId);
}
