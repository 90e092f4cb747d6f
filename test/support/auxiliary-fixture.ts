import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/base/index.ts';
import type { AuxiliaryRequest, RouteSource, SessionStore } from '../../src/contracts/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import {
  createProviderServer,
  type ProviderServer,
  type ProviderServerOptions,
  type Reply,
} from '../../src/testing/index.ts';
import { routeToServer } from './provider-fixture.ts';
import { type AuxiliaryModelsOptions, createAuxiliaryModels } from '../../src/runtime/auxiliary/auxiliary-models.ts';

/** A clock whose long sleeps end when the test says so. Short sleeps end immediately and are recorded. */
export function createManualClock(): Clock & {
  readonly pauses: number[];
  readonly timeouts: number[];
  timeIsUp(): void;
  advance(milliseconds: number): void;
} {
  const [pauses, timeouts]: [number[], number[]] = [[], []];
  let release = () => {};
  let now = Date.UTC(2026, 0, 1);
  return {
    pauses,
    timeouts,
    timeIsUp: () => release(),
    advance(milliseconds) {
      now += milliseconds;
    },
    now: () => now,
    sleep(milliseconds, signal) {
      if (milliseconds < 10_000) return Promise.resolve(void pauses.push(milliseconds));
      timeouts.push(milliseconds);
      return new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
        release = resolve;
      });
    },
  };
}

/** A provider server that is closed after the test. */
export async function startServer(options: ProviderServerOptions = {}): Promise<ProviderServer> {
  const server = await createProviderServer(options);
  onTestFinished(() => server.close());
  return server;
}

/** Auxiliary models on a real store with one session `one`. */
export async function openAuxiliaryModels(
  routes: readonly RouteSource[],
  settings: Partial<AuxiliaryModelsOptions['settings']> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-auxiliary-'));
  const store: SessionStore = await openSqliteStore({ file: join(folder, 'state.db') });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
  const clock = createManualClock();
  const warnings: unknown[] = [];
  const ignore = () => undefined;
  const chain = () => Promise.resolve(routes);
  const models = createAuxiliaryModels({
    settings: { auxiliary: {}, limits: {}, ...settings },
    routesOf: () => chain,
    store,
    clock,
    logger: {
      debug: ignore,
      info: ignore,
      error: ignore,
      warn: (message, fields) => warnings.push({ message, ...fields }),
    },
    random: () => 0,
  });
  return { models, store, clock, warnings };
}

export const asking = (more: Partial<AuxiliaryRequest> = {}): AuxiliaryRequest => ({
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'what is it?' }],
  signal: new AbortController().signal,
  sessionId: 'one',
  ...more,
});

/** Two models behind real sockets; the second one always answers. */
export async function openPair(script: Reply[], settings = {}) {
  const first = await startServer({ script });
  const second = await startServer({
    script: [{ text: 'from the second', usage: { input: 40, output: 2 } }],
    repeatLast: true,
  });
  const routes = [
    routeToServer(first, 'chat_completions', 'first'),
    routeToServer(second, 'chat_completions', 'second'),
  ];
  return { first, second, ...(await openAuxiliaryModels(routes, settings)) };
}
