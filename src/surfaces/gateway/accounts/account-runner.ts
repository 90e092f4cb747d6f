import { type Clock, errorMessage } from '../../../base/index.ts';
import {
  type Channel,
  ChannelError,
  type ChannelEvent,
  type ChannelIdentity,
  type GatewayStore,
  type HeldAccount,
  type Logger,
  type NewInboxMessage,
  type OutgoingMessage,
} from '../../../contracts/index.ts';
import { backOffDelay, settlesWithin } from '../../../util/index.ts';
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
  onStatus?(status: AccountStatus): void;
};

/** Keeps one bot account connected: receives its messages, sends its outbox, and connects again after failures. */
export interface AccountRunner {
  status(): AccountStatus;
  readonly channel: Channel;
  /** All calls of the account go through it. */
  readonly scheduler: RateScheduler;
  /** Whether this process holds the account. Others must not call the platform, because limits are kept here. */
  holdsAccount(): boolean;
  /** Looks at the outbox now. */
  wake(): void;
  /** Resolves when everything is sent, or when the account is not connected. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** How long another process waits after this one died. */
export const LEASE_MS = 15_000;
const CLOSE_MS = 5000;
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

  function report(state: AccountState, more: { account?: string; error?: string } = {}): void {
    const { account } = { ...status, ...more };
    status = { platform, state, since: clock.now(), ...(account !== undefined && { account }), ...more };
    options.onStatus?.(status);
  }

  async function connectOnce(): Promise<void> {
    const identity = await channel.identify(closing.signal);
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

  function setSender(started: OutboxSender): void {
    sender = started;
  }

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
        report(isFatal ? 'fatal' : 'retrying', { error: errorMessage(thrown) });
        if (isFatal) return;
        await clock.sleep(backOffDelay(failures, BACK_OFF), closing.signal).catch(() => undefined);
      }
    }
    report('closed');
  }

  const done = work().catch((thrown: unknown) => {
    options.logger.error('the account runner failed', { platform }, thrown);
    report('fatal', { error: errorMessage(thrown) });
  });

  return {
    channel,
    scheduler,
    status: () => status,
    holdsAccount: () => sender !== undefined,
    wake: () => sender?.wake(),
    flush: async () => sender?.flush(),
    async close() {
      closing.abort();
      await done;
      await channel.close();
    },
  };
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
  let aliveAt = clock.now();
  report('connecting', { account: identity.account });
  const receiving = channel.receive({
    cursor: held.cursor,
    signal,
    onAlive() {
      aliveAt = clock.now();
      if (!ended.signal.aborted) report('connected');
    },
    async deliver(events, cursor) {
      const messages = events.flatMap((event) => options.toMessage(event, identity) ?? []);
      const added = await store.receive(messages, { held, cursor });
      if (added === 'not_holder') throw accountLost(identity);
      aliveAt = clock.now();
      if (added.length > 0) options.onReceived(added);
    },
  });
  try {
    await Promise.race([receiving, watch(), sender.done]);
  } finally {
    ended.abort();
    // An adapter that hangs must not keep the account from being connected again.
    await settlesWithin(Promise.allSettled([receiving, sender.done]), CLOSE_MS);
  }

  /** Renews the account and throws if there is no sign of life, also if the adapter hangs. */
  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(LEASE_MS / 3, signal);
      if (!(await store.renewAccount(held, LEASE_MS))) throw accountLost(identity);
      const silent = clock.now() - aliveAt;
      if (silent > channel.facts.silenceMs)
        throw new ChannelError(
          'transient',
          `${channel.facts.platform} sent no sign of life for ${Math.round(silent / 1000)} s.`,
        );
    }
  }
}

function accountLost({ account }: ChannelIdentity): ChannelError {
  return new ChannelError('transient', `Another process took over ${account}.`);
}
