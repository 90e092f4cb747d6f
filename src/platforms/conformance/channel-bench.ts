import type { JsonObject } from '../../base/index.ts';
import type { Channel, ChannelEvent, ChatTarget } from '../../contracts/index.ts';
import type { DeliveryFaults, PlatformFault } from '../../testing/index.ts';

/** A fake platform with one direct chat, as the conformance tests use it. */
export type ChannelBench = {
  /**
   * Opens a channel to the platform. A hasty one has timeouts below a second, for faults that only end with a timeout; on
   * a busy machine any of its calls may time out.
   */
  open(pace?: 'patient' | 'hasty'): Channel;
  /** The cursor of a bot that has received before; undefined if the platform keeps events for a new bot, too. */
  start?: JsonObject;
  /** The token of the bot, which must not appear anywhere. */
  secret: string;
  target: ChatTarget;
  /** The user of the chat sends a message. */
  say(text: string): void;
  /** Something happens that no adapter knows. */
  sayUnknown(): void;
  /** The number of events that the platform would deliver again. */
  unacknowledged(): number;
  setDelivery(faults: DeliveryFaults): void;
  failReceiving(fault: PlatformFault): void;
  failSending(fault: PlatformFault): void;
  revoke(): void;
  /** The texts of the bot in the chat, oldest first. */
  texts(): string[];
  /** The text of an answer, without its formatting. */
  plainText(markdown: string): string;
  close(): Promise<void>;
};

/** A channel that receives in the background. */
export type Receiving = {
  readonly events: ChannelEvent[];
  readonly alive: number;
  readonly cursor: JsonObject | undefined;
  /** Settles when receiving ends. */
  readonly ended: Promise<unknown>;
  /** Resolves when so many events are stored. Rejects if receiving ends before. */
  waitFor(count: number): Promise<void>;
  /** Resolves with the next proof that the connection works. */
  waitForProof(): Promise<void>;
  stop(): Promise<void>;
};

export type ReceivingOptions = {
  cursor?: JsonObject | undefined;
  /** Called before events are stored; may wait or fail. */
  beforeStoring?(events: readonly ChannelEvent[]): Promise<void>;
};

export function startReceiving(channel: Channel, options: ReceivingOptions = {}): Receiving {
  const stopping = new AbortController();
  const state = { events: [] as ChannelEvent[], alive: 0, cursor: options.cursor };
  let changed = Promise.withResolvers<void>();
  const announce = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const ended = channel
    .receive({
      cursor: options.cursor,
      async deliver(events, cursor) {
        await options.beforeStoring?.(events);
        // The store keeps the first event with an id.
        const known = new Set(state.events.map(({ id }) => id));
        const count = state.events.length;
        for (const event of events) {
          if (!known.has(event.id)) state.events.push(event);
          known.add(event.id);
        }
        state.cursor = cursor;
        announce();
        return state.events.length - count;
      },
      onAlive() {
        state.alive += 1;
        announce();
      },
      signal: stopping.signal,
    })
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  const until = async (isReached: () => boolean) => {
    while (!isReached()) {
      const error = await Promise.race([changed.promise, ended.then((reason) => ({ reason }))]);
      if (error !== undefined && !isReached()) throw new Error('receiving ended', { cause: error.reason });
    }
  };
  return {
    get events() {
      return state.events;
    },
    get alive() {
      return state.alive;
    },
    get cursor() {
      return state.cursor;
    },
    ended,
    waitFor: (count) => until(() => state.events.length >= count),
    waitForProof() {
      const before = state.alive;
      return until(() => state.alive > before);
    },
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** Receives from where the bench starts. */
export function beginReceiving(
  { open, start }: ChannelBench,
  { pace, ...options }: ReceivingOptions & { pace?: 'patient' | 'hasty' } = {},
): Receiving {
  return startReceiving(open(pace), { cursor: start, ...options });
}

/** Whether a client notices a fault only by a timeout. */
export function needsTimeout({ type }: PlatformFault): boolean {
  return type === 'silence' || type === 'drip';
}

/** The timeout of calls at a pace. */
export const callTimeout = (pace: 'patient' | 'hasty' = 'patient') => (pace === 'hasty' ? 400 : 20_000);

export const textsOf = (events: readonly ChannelEvent[]) => events.map(({ content }) => content.text);
