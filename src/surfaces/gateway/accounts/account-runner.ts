import { type Clock, errorMessage, type JsonObject, startTimer } from '../../../base/index.ts';
import {
  type Channel,
  ChannelError,
  type ChannelEvent,
  type ChannelIdentity,
  type Fill,
  type GatewayStore,
  type HeldAccount,
  type Logger,
  type NewInboxMessage,
  type OutgoingMessage,
} from '../../../contracts/index.ts';
import { abortable, backOffDelay, settlesWithin } from '../../../util/index.ts';
import { type OutboxSender, startOutboxSender } from './outbox-sender.ts';
import { createRateScheduler, type RateScheduler } from './rate-scheduler.ts';

/** `waiting`: another process holds the account. `fatal`: the account does not work until its settings change. */
export type AccountState = 'connecting' | 'connected' | 'retrying' | 'waiting' | 'fatal' | 'closed';

export type AccountStatus = { platform: string; account?: string; state: AccountState; error?: string; since: number };

export type AccountOptions = {
  channel: Channel;
  store: GatewayStore;
  /** Says who holds the account, for people. */
  holder: string;
  clock: Clock;
  logger: Logger;
  /** The bytes of a file of the outbox; undefined if its session was deleted. */
  readBlob?(hash: string): Promise<Uint8Array | undefined>;
  /** The inbox message of an event; undefined for events that are not meant for the bot. */
  toMessage(event: ChannelEvent, identity: ChannelIdentity): NewInboxMessage | undefined;
  /** Called after messages were stored. */
  onReceived(messages: readonly NewInboxMessage[]): void;
  onSent?(message: OutgoingMessage, platformIds: readonly string[]): void;
  /** The limit of the inbox; for tests. */
  maxWaiting?: number;
  onStatus?(status: AccountStatus): void;
};

/**
 * Keeps one bot account connected: receives its messages, sends its outbox, and connects again after failures. It is not
 * part of the adapter: an adapter that throws, hangs or stays silent is disconnected and opened again.
 */
export interface AccountRunner {
  status(): AccountStatus;
  readonly channel: Channel;
  /** All calls of the account go through it. */
  readonly scheduler: RateScheduler;
  /** Whether this process holds the account. Others must not call the platform, because limits are kept here. */
  holdsAccount(): boolean;
  /** How full the queues and caches of the account and its adapter are. */
  listFills(): Fill[];
  /** Looks at the outbox now. */
  wake(): void;
  /** Resolves when everything is sent, or when the account is not connected. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** How long another process waits after this one died. */
export const LEASE_MS = 15_000;
const CLOSE_MS = 5000;
/** How long the platform may take to say who the bot is. */
const IDENTIFY_MS = 60_000;
const BACK_OFF = { baseMs: 1000, maxMs: 300_000 };
/** A connection that worked for this long was not part of a series of failures. */
const STABLE_MS = 60_000;

export function startAccount(options: AccountOptions): AccountRunner {
  const { channel, clock } = options;
  const { platform, rates } = channel.facts;
  const scheduler = createRateScheduler(rates, clock);
  const closing = new AbortController();
  let sender: OutboxSender | undefined;
  let status: AccountStatus = { platform, state: 'connecting', since: clock.now() };

  /** Every sign of life is reported, but only a change is passed on. */
  function report(state: AccountState, more: { account?: string; error?: string } = {}): void {
    const { account = status.account, error } = more;
    if (state === status.state && account === status.account && error === status.error) return;
    const since = state === status.state ? status.since : clock.now();
    status = {
      platform,
      state,
      since,
      ...(account !== undefined && { account }),
      ...(error !== undefined && { error }),
    };
    notify(options, status);
  }

  async function connectOnce(): Promise<void> {
    const identity = await identifyInTime(options, closing.signal);
    const { account } = identity;
    const held = await options.store.holdAccount(account, options.holder, LEASE_MS);
    if (held === undefined) {
      report('waiting', { account });
      return clock.sleep(LEASE_MS / 3, closing.signal);
    }
    try {
      await runHeld(options, { identity, held, scheduler, closing: closing.signal, report, setSender });
    } finally {
      sender = undefined;
      await options.store.releaseAccount(held);
    }
  }

  const setSender = (started: OutboxSender) => void (sender = started);

  async function work(): Promise<void> {
    for (let failures = 0; !closing.signal.aborted; ) {
      const begun = clock.now();
      try {
        await connectOnce();
      } catch (thrown) {
        if (closing.signal.aborted) break;
        if (clock.now() - begun > STABLE_MS) failures = 0;
        failures += 1;
        const isFatal = thrown instanceof ChannelError && thrown.fault === 'fatal';
        options.logger.warn('a platform failed', { platform, error: errorMessage(thrown), fatal: isFatal });
        report(isFatal ? 'fatal' : 'retrying', { error: describe(thrown) });
        if (isFatal) return;
        const asked = thrown instanceof ChannelError ? thrown.retryAfterMs : undefined;
        const wait = Math.max(asked ?? 0, backOffDelay(failures, BACK_OFF));
        await clock.sleep(wait, closing.signal).catch(() => undefined);
      }
    }
    report('closed');
  }

  const done = work();
  return {
    channel,
    scheduler,
    status: () => status,
    holdsAccount: () => sender !== undefined,
    listFills: () =>
      nameFills(status, [scheduler.listFills(), sender?.fill() ?? [], channel.listFills?.() ?? []].flat()),
    wake: () => sender?.wake(),
    flush: async () => sender?.flush(),
    async close() {
      closing.abort();
      await done;
      await channel.close();
    },
  };
}

/** A listener that fails must not end the supervision. */
function notify({ onStatus, logger }: AccountOptions, status: AccountStatus): void {
  try {
    onStatus?.(status);
  } catch (thrown) {
    logger.error('could not report the state of an account', { platform: status.platform }, thrown);
  }
}

function nameFills({ account, platform }: AccountStatus, fills: readonly Fill[]): Fill[] {
  return fills.map((fill) => ({ ...fill, name: `${account ?? platform}: ${fill.name}` }));
}

function describe(thrown: unknown): string {
  const hint = thrown instanceof ChannelError ? thrown.hint : undefined;
  return [errorMessage(thrown), hint].filter((part) => part !== undefined).join(' ');
}

/** An adapter that ignores the signal must not keep the account from being connected. */
async function identifyInTime({ channel, clock }: AccountOptions, closing: AbortSignal): Promise<ChannelIdentity> {
  const ended = new AbortController();
  const signal = AbortSignal.any([closing, ended.signal]);
  const late = new ChannelError('transient', `${channel.facts.platform} did not say who the bot is in time.`);
  clock.sleep(IDENTIFY_MS, signal).then(
    () => ended.abort(late),
    () => undefined,
  );
  try {
    return await abortable(channel.identify(signal), signal);
  } finally {
    ended.abort();
  }
}

type Connection = {
  identity: ChannelIdentity;
  held: HeldAccount;
  scheduler: RateScheduler;
  closing: AbortSignal;
  report(state: AccountState, more?: { account?: string; error?: string }): void;
  setSender(sender: OutboxSender): void;
};

/** Receives and sends while this process holds the account. Throws if the connection fails or the account is lost. */
async function runHeld(options: AccountOptions, connection: Connection): Promise<void> {
  const { channel, store, clock } = options;
  const { identity, held, scheduler, closing, report } = connection;
  const ended = new AbortController();
  const signal = AbortSignal.any([closing, ended.signal]);
  const sender = startOutboxSender({ ...options, held, scheduler, signal });
  connection.setSender(sender);
  let silence = startTimer(clock);
  const deliver = createDelivery(options, connection);
  report('connecting', { account: identity.account });
  const receive = async () =>
    channel.receive({
      cursor: held.cursor,
      signal,
      onAlive() {
        silence = startTimer(clock);
        if (!ended.signal.aborted) report('connected');
      },
      async deliver(events, cursor) {
        const added = await deliver(events, cursor);
        silence = startTimer(clock);
        return added;
      },
    });
  const receiving = receive();
  try {
    await Promise.race([receiving, keepAccount(), watchLife(), sender.done]);
    if (!closing.aborted) throw new ChannelError('transient', `${channel.facts.platform} ended the connection.`);
  } finally {
    ended.abort();
    // An adapter that hangs must not keep the account from being connected again.
    await settlesWithin(Promise.allSettled([receiving, sender.done]), CLOSE_MS);
  }

  async function keepAccount(): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(LEASE_MS / 3, signal);
      if (!(await store.renewAccount(held, LEASE_MS))) throw accountLost(identity);
    }
  }

  /** Throws if there is no sign of life, also if the adapter or the store hangs. */
  async function watchLife(): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(LEASE_MS / 3, signal);
      const { platform, silenceMs } = channel.facts;
      if (silence() > silenceMs)
        throw new ChannelError('transient', `${platform} sent no sign of life for ${Math.round(silence() / 1000)} s.`);
    }
  }
}

/** The inbox of an account takes no more messages than this; further ones stay with the platform. */
export const MAX_WAITING = 20_000;
/** How many messages are received until the inbox is counted again. */
const COUNT_EVERY = 200;

/** Stores events as messages of the inbox, unless it is full. */
function createDelivery(options: AccountOptions, { identity, held }: Pick<Connection, 'identity' | 'held'>) {
  const { store, channel } = options;
  let uncounted = COUNT_EVERY;

  async function requireSpace(count: number): Promise<void> {
    uncounted += count;
    if (uncounted < COUNT_EVERY) return;
    uncounted = count;
    const waiting = await store.countUnfinished();
    if (waiting < (options.maxWaiting ?? MAX_WAITING)) return;
    const why = `The inbox is full (${waiting} messages wait), so ${channel.facts.platform} is asked again later.`;
    throw new ChannelError('transient', why, { retryAfterMs: FULL_MS });
  }

  return async (events: readonly ChannelEvent[], cursor: JsonObject): Promise<number> => {
    const messages = events.flatMap((event) => options.toMessage(event, identity) ?? []);
    await requireSpace(messages.length);
    const added = await store.receive(messages, { held, cursor });
    if (added === 'not_holder') throw accountLost(identity);
    if (added.length > 0) options.onReceived(added);
    return added.length;
  };
}

/** How long nothing is received while the inbox is full. */
const FULL_MS = 15_000;

function accountLost({ account }: ChannelIdentity): ChannelError {
  return new ChannelError('transient', `Another process took over ${account}.`);
}
