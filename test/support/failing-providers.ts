import type { Clock } from '../../src/base/index.ts';
import { createProviderServer, type ProviderServer, type Reply, type TemporaryHome } from '../../src/testing/index.ts';

/** One request to a provider: the key, the time, and the outcome. */
export type Outcome = { provider: string; key: string; at: number; did: OutcomeKind; turn: string };

export type OutcomeKind = { type: 'answer' | 'server_error' | 'stall' | 'auth' | 'cut' } | Limited;
type Limited = { type: 'rate_limit'; retryAfterMs?: number };

export type FailingProvider = {
  name: string;
  keys: readonly string[];
  server: ProviderServer;
};

export type FailingWorld = AsyncDisposable & {
  readonly providers: FailingProvider[];
  /** The outcomes in the order of the requests. */
  readonly log: Outcome[];
  /** Awaited before each reply, so that a test can delay it. */
  beforeReply: () => Promise<unknown>;
};

/** Reset times as providers report them, in seconds. */
const RESETS = [1, 5, 8, 30, 3_600];
const CUT_AFTER_BYTES = 40;

function chooseDeed(random: () => number, badness: number): OutcomeKind {
  if (random() >= badness) return { type: 'answer' };
  const chance = random();
  if (chance < 0.3) return { type: 'rate_limit' };
  if (chance < 0.55) {
    const retryAfterMs = 1_000 * (RESETS[Math.floor(random() * RESETS.length)] as number);
    return { type: 'rate_limit', retryAfterMs };
  }
  if (chance < 0.75) return { type: 'server_error' };
  if (chance < 0.9) return { type: 'auth' };
  // Stalls take real time, so they are the rarest.
  return { type: chance < 0.98 ? 'cut' : 'stall' };
}

function toReply(deed: OutcomeKind, good: Reply): Reply {
  switch (deed.type) {
    case 'answer':
      return good;
    case 'rate_limit': {
      const { retryAfterMs } = deed;
      const retryAfter = retryAfterMs === undefined ? {} : { retryAfter: retryAfterMs / 1_000 };
      return { fault: { type: 'status', status: 429, ...retryAfter } };
    }
    case 'server_error':
      return { fault: { type: 'status', status: 500 } };
    case 'auth':
      return { fault: { type: 'status', status: 401 } };
    case 'cut':
      return { text: 'this answer breaks off on its way', fault: { type: 'cut', afterBytes: CUT_AFTER_BYTES } };
    case 'stall':
      return { text: 'this answer never ends', fault: { type: 'stall', afterEvents: 1 } };
  }
}

/** Providers that fail at random, each with its own probability, and a shared log. */
export async function startFailingProviders(
  plan: readonly { name: string; keys: number; badness: number }[],
  { random, clock }: { random: () => number; clock: Pick<Clock, 'now'> },
): Promise<FailingWorld> {
  const log: Outcome[] = [];
  const providers: FailingProvider[] = [];
  const world: FailingWorld = {
    providers,
    log,
    beforeReply: async () => undefined,
    async [Symbol.asyncDispose]() {
      await Promise.all(providers.map(({ server }) => server.close()));
    },
  };
  for (const { name, keys, badness } of plan) {
    const server = await createProviderServer({
      script: async (request) => {
        const did = chooseDeed(random, badness);
        const key = (request.headers.authorization ?? '').replace('Bearer ', '');
        log.push({ provider: name, key, at: clock.now(), did, turn: request.lastUserText });
        await world.beforeReply();
        // Every third turn reads a file first, so that histories contain calls and results.
        const wantsTool =
          request.messages.at(-1)?.role === 'user' && Number(/\d+/.exec(request.lastUserText)) % 3 === 0;
        const call = { id: `call_${log.length}`, name: 'read_file', arguments: { path: 'note.txt' } };
        return toReply(did, wantsTool ? { toolCalls: [call] } : { text: `answer to ${request.lastUserText}` });
      },
    });
    const names = Array.from({ length: keys }, (_, index) => `key-${name}-${index + 1}-${'x'.repeat(12)}`);
    providers.push({ name, keys: names, server });
  }
  return world;
}

/** A home with the first provider as the primary and the others as fallbacks, and all keys in auth.json. */
export async function writeFailingHome(home: TemporaryHome, providers: readonly FailingProvider[], strategy: string) {
  const [primary, ...fallbacks] = providers.map(({ name }) => name);
  await home.write(
    'config.yaml',
    [
      'auxiliary: {title_generation: {enabled: false}}',
      // Real time: long enough for a busy machine, short enough for a test.
      'agent: {stream_stale_timeout: 0.7}',
      `model: {provider: ${primary}, default: test-model}`,
      `fallback_providers: [${fallbacks.map((name) => `{provider: ${name}, model: test-model}`).join(', ')}]`,
      'custom_providers:',
      ...providers.map(
        ({ name, server }) => `  - {name: ${name}, base_url: "${server.url}/v1", api_mode: chat_completions}`,
      ),
      'credential_pool_strategies:',
      ...providers.map(({ name }) => `  custom:${name}: ${strategy}`),
      '',
    ].join('\n'),
  );
  const pools = providers.map(({ name, keys }) => [
    `custom:${name}`,
    keys.map((key) => ({ id: key, label: key, auth_type: 'api_key', source: 'manual', access_token: key })),
  ]);
  await home.write('auth.json', JSON.stringify({ version: 1, credential_pool: Object.fromEntries(pools) }));
}

type State = Record<string, Record<string, { uses: number; rest?: Rest }>>;
export type Rest = { until: number; reason: string; marked: boolean; told?: true };

/** The stored state of each key by its name. */
export async function readCharges(home: TemporaryHome): Promise<Map<string, { uses: number; rest?: Rest }>> {
  const state = JSON.parse(await home.read('auth-state.json')) as State;
  return new Map(Object.values(state).flatMap((pool) => Object.entries(pool)));
}
