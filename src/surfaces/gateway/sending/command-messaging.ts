import { type Clock, ConfigurationError } from '../../../base/index.ts';
import { loadGatewaySettings, type PlatformSettings } from '../../../config/gateway/index.ts';
import type { EnvironmentVariables } from '../../../config/index.ts';
import {
  type Channel,
  type GatewayStore,
  type Messaging,
  type SessionStore,
  silentLogger,
} from '../../../contracts/index.ts';
import { openFirstChannel, PLATFORMS } from '../../../platforms/index.ts';
import { settlesWithin } from '../../../util/index.ts';
import { processName } from '../../../util/process-name.ts';
import { LEASE_MS } from '../accounts/account-runner.ts';
import { startOutboxSender } from '../accounts/outbox-sender.ts';
import { createRateScheduler } from '../accounts/rate-scheduler.ts';
import { releaseDeadProcesses } from '../release-processes.ts';
import { findStoredAccount } from './gateway-messaging.ts';
import { createMessaging, type SendingAccount } from './messaging.ts';
import { recordInSession } from './mirror.ts';

export type CommandMessagingOptions = {
  home: string;
  env: EnvironmentVariables;
  sessions: SessionStore;
  clock: Clock;
};

/** How long a command waits for a turn in the other chat, to record in its session what was sent. */
const RECORD_MS = 3000;

/**
 * Sends messages from a command. If a gateway is running, it delivers them; otherwise this process does, while it holds
 * the account.
 */
export async function openCommandMessaging(
  options: CommandMessagingOptions,
): Promise<Messaging & { close(): Promise<void> }> {
  const { home, env, sessions, clock } = options;
  const store = await sessions.openGatewayStore();
  const { platforms } = await loadGatewaySettings({ home, env, platforms: PLATFORMS });
  await releaseDeadProcesses(store);
  const closing = new AbortController();
  const records: Promise<void>[] = [];
  const opened: { channel: Channel; sending: Promise<void>[] }[] = [];

  async function openAccount(name: string): Promise<SendingAccount> {
    const channel = await openFirstChannel(platforms.find((each) => each.name === name) as PlatformSettings);
    const sending: Promise<void>[] = [];
    opened.push({ channel, sending });
    const { account } = await channel.identify(closing.signal).catch(async (thrown: unknown) => {
      const stored = await findStoredAccount(store, name);
      if (stored === undefined) throw thrown;
      return { account: stored };
    });
    const wake = () => void sending.push(deliver({ store, clock }, { channel, account, signal: closing.signal }));
    return { account, channel, wake };
  }

  const recorder = { store: sessions, clock, logger: silentLogger };
  const messaging = createMessaging({
    home,
    store,
    clock,
    listPlatforms: async () => platforms,
    openAccount,
    onDelivered: (sessionId, text) =>
      void records.push(recordInSession(recorder, { sessionId, text, signal: closing.signal })),
  });
  return {
    ...messaging,
    async close() {
      await settlesWithin(Promise.all(records), RECORD_MS);
      closing.abort();
      for (const { channel, sending } of opened) {
        await Promise.allSettled(sending);
        await channel.close();
      }
    },
  };
}

type Delivering = { channel: Channel; account: string; signal: AbortSignal };

/** Sends what is in the outbox of the account, until the signal is aborted or a gateway holds the account. */
async function deliver(
  { store, clock }: { store: GatewayStore; clock: Clock },
  { channel, account, signal }: Delivering,
): Promise<void> {
  const held = await store.holdAccount(account, processName(), LEASE_MS);
  if (held === undefined) return;
  const ended = new AbortController();
  const until = AbortSignal.any([signal, ended.signal]);
  const scheduler = createRateScheduler(channel.facts.rates, clock);
  const sender = startOutboxSender({ channel, store, held, scheduler, clock, logger: silentLogger, signal: until });
  const renew = async () => {
    while (!until.aborted) {
      await clock.sleep(LEASE_MS / 3, until).catch(() => undefined);
      if (!until.aborted && !(await store.renewAccount(held, LEASE_MS))) return;
    }
  };
  try {
    await Promise.race([sender.done, renew()]);
  } finally {
    ended.abort();
    await sender.done.catch(() => undefined);
    await store.releaseAccount(held);
  }
}

/** The only configured platform, for commands that were given none. */
export function onlyPlatform(platforms: readonly string[]): string {
  const [first, second] = platforms;
  if (first !== undefined && second === undefined) return first;
  throw new ConfigurationError(
    first === undefined ? 'No messaging platform is configured.' : 'Several messaging platforms are configured.',
    { hint: first === undefined ? 'Run `hermes gateway setup`.' : `Name one with --to: ${platforms.join(', ')}.` },
  );
}
