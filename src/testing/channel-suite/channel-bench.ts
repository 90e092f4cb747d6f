import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../base/index.ts';
import type { Channel, ChannelEvent, ChannelMessage, ChatTarget, SentMessage } from '../../contracts/index.ts';
import type { DeliveryFaults, PlatformFault } from '../platform-faults.ts';

/** A file that a user or the bot sends. */
export type BenchFile = { name: string; mediaType: string; bytes: Uint8Array };

/**
 * A platform with one direct chat, as the tests of channels use it: a fake, or a real server on loopback. Optional fields
 * are abilities of the platform and faults that the bench can cause; tests that need a missing one are skipped. A bench
 * must offer everything that the channel claims to support.
 */
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
  say(text: string): unknown;
  /** The texts of the bot in the chat, oldest first. */
  texts(): string[] | Promise<string[]>;
  /** The text of an answer, without its formatting. */
  plainText(markdown: string): string;
  close(): Promise<void>;
  /** What happens while the bot is not connected is lost, and the platform confirms no message. */
  isLive?: true;
  /** A message is one line. */
  hasOneLine?: true;
  /** Whether messages that are sent concurrently arrive in the order of the calls. */
  keepsOrder?: true;
} & BenchFaults &
  BenchAbilities;

type BenchFaults = {
  /** Something happens that no adapter knows. */
  sayUnknown?(): unknown;
  /** The number of events that the platform would deliver again. */
  unacknowledged?(): number;
  setDelivery?(faults: DeliveryFaults): void;
  failReceiving?(fault: PlatformFault): void;
  failSending?(fault: PlatformFault): void;
  revoke?(): void;
};

type BenchAbilities = {
  /** The files that the bot sent, with their captions. */
  sentFiles?(): { name: string; bytes: Uint8Array; caption: string }[];
  /** The user of the chat sends a file. */
  sayFile?(file: BenchFile): unknown;
  buttons?: {
    /** The labels of the buttons of a message. */
    labels(messageId: string): string[];
    /** The user of the chat presses a button. */
    press(messageId: string, data: string): unknown;
    /** The texts that acknowledged presses of buttons. */
    acknowledgements(): string[];
  };
  /** Where the bot can show that it is typing, if not in the direct chat, and how often it did. */
  typing?: { target?: ChatTarget; count(): number };
  reactions?: {
    /** The user of the chat sends a message. Returns its id. */
    say(text: string): string;
    /** The reactions of the bot to a message. */
    of(messageId: string): string[];
  };
  replies?: {
    /** The user of the chat replies to a message of the bot, or sends one that is no reply. Returns its id. */
    say(text: string, to?: string): string;
    /** The message to which a message of the bot replies. */
    repliesTo(messageId: string): string | undefined;
  };
  /** A thread or topic outside the direct chat. */
  thread?: { target: ChatTarget; say(text: string): unknown; texts(): string[] };
  /** Whether a message is still being written. `target` is where messages can grow. */
  streams?: { target: ChatTarget; recipientId: string; isOpen(messageId: string): boolean; texts(): string[] };
  /** The drafts that the bot has shown in the chat. */
  drafts?(): string[];
  /** The names of the commands that the bot offers. */
  commands?(): string[];
  group?: {
    target: ChatTarget;
    /** The text that mentions the bot. */
    mention: string;
    /** A member sends a message: the user of the direct chat, or somebody else with the same display name. */
    say(text: string, by?: 'user' | 'namesake'): unknown;
    texts(): string[] | Promise<string[]>;
  };
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
  const waitUntil = async (isReached: () => boolean) => {
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
    waitFor: (count) => waitUntil(() => state.events.length >= count),
    waitForProof() {
      const before = state.alive;
      return waitUntil(() => state.alive > before);
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

/** Receives, and waits until the connection works. */
export async function connect(bench: ChannelBench, channel = bench.open()): Promise<Receiving> {
  const receiving = startReceiving(channel, { cursor: bench.start });
  await receiving.waitForProof();
  return receiving;
}

/** The only event that follows an action of a user. */
export async function nextEvent(receiving: Receiving, act: () => unknown): Promise<ChannelEvent> {
  const count = receiving.events.length;
  await act();
  await receiving.waitFor(count + 1);
  return receiving.events[count] as ChannelEvent;
}

const WAIT_MS = 10_000;

/** Resolves when a condition is true. The platform shows some effects later than the call returns. */
export async function until(isReached: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const start = performance.now(); !(await isReached()); ) {
    if (performance.now() - start > WAIT_MS) throw new Error(`${what}: not reached after ${WAIT_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

export const soon = () => AbortSignal.timeout(20_000);

/** The error of a call that fails. */
export const failed = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Sends a message with a new key. */
export function sendTo(channel: Channel, message: ChannelMessage, signal = soon()): Promise<SentMessage> {
  return channel.send(message, { key: randomUUID(), mayHaveArrived: false, signal });
}

export const sendText = (channel: Channel, { target }: ChannelBench, text: string, signal = soon()) =>
  sendTo(channel, { target, content: { text } }, signal);

/** Whether a client notices a fault only by a timeout. */
export function needsTimeout({ type }: PlatformFault): boolean {
  return type === 'silence' || type === 'drip';
}

/** The timeout of calls at a pace. */
export const callTimeout = (pace: 'patient' | 'hasty' = 'patient') => (pace === 'hasty' ? 400 : 20_000);

export const textsOf = (events: readonly ChannelEvent[]) => events.map(({ content }) => content.text);
