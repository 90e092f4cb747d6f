import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { createRuntime, loadModels } from '../../src/runtime/index.ts';
import { createFakeClock, createTemporaryHome } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { dose, fullDoseOnly } from '../support/dose.ts';
import {
  type FailingProvider,
  type Outcome,
  readCharges,
  type Rest,
  startFailingProviders,
  writeFailingHome,
} from '../support/failing-providers.ts';
import { seededRandom } from '../support/seeded-random.ts';

const TURNS = dose(40, 200);
const TURNS_OF_A_SESSION = dose(20, 40);
const [HOUR, AUTH_REST, SOLE_REST] = [3_600_000, 300_000, 60_000];
/** With a fallback available, Hermes does not wait longer than this. */
const WORTH_WAITING_MS = 10_000;

/** The maximum number of rejections of one key for the same response. */
const MAX_REFUSALS = 3;

const PLAN = [
  { name: 'first', keys: 4, badness: 0.75 },
  { name: 'second', keys: 2, badness: 0.6 },
  { name: 'third', keys: 1, badness: 0 },
];

/** The expected cooldown of a key, from the failures of this key alone. */
function restOf(key: string, log: readonly Outcome[], sole: boolean): Rest | undefined {
  const last = log.findLast(({ did, ...outcome }) => outcome.key === key && isCharged(did));
  if (last === undefined) return undefined;
  const { did, at } = last;
  const usual = sole ? SOLE_REST : did.type === 'auth' ? AUTH_REST : HOUR;
  if (did.type !== 'rate_limit' || did.retryAfterMs === undefined) {
    return { until: at + usual, reason: did.type, marked: false };
  }
  return { until: at + did.retryAfterMs, reason: did.type, marked: false, told: true };
}

function isCharged({ type }: Outcome['did']): boolean {
  return type === 'rate_limit' || type === 'auth';
}

/** The keys of a provider that are usable now, judged by the log alone. */
function readyKeys({ keys }: FailingProvider, log: readonly Outcome[], now: number): string[] {
  return keys.filter((key) => (restOf(key, log, keys.length === 1)?.until ?? 0) <= now);
}

/** When the first key becomes usable, if none is and the provider reported the reset time. */
function reportedReset({ keys }: FailingProvider, log: readonly Outcome[], now: number): number {
  const rests = keys.map((key) => restOf(key, log, keys.length === 1));
  if (rests.some((rest) => rest === undefined || rest.until <= now)) return 0;
  const first = (rests as Rest[]).reduce((one, other) => (other.until < one.until ? other : one));
  return first.told ? first.until : 0;
}

describe('providers that fail at random', () => {
  verifies(
    ['CALL-5', 'CALL-6', 'PROV-4', 'PROV-9'],
    `${TURNS} turns are all answered, and each credential is charged only with its own failures`,
    async () => {
      const random = seededRandom(20_261_115);
      const clock = createFakeClock();
      await using home = await createTemporaryHome();
      await using world = await startFailingProviders(PLAN, { random, clock });
      const { providers, log } = world;
      await writeFailingHome(home, providers, 'round_robin');
      await writeFile(join(home.workspace, 'note.txt'), 'noted');
      const { settings, models } = await loadModels({ home: home.path, env: {} });
      const runtime = await createRuntime({
        settings,
        routes: models?.routes ?? [],
        clock,
        source: 'cli',
        attended: false,
        workingDirectory: home.workspace,
      });
      let { agent } = await runtime.openAgent();

      /** Until when each provider was last reported as unavailable; after that it is used again. */
      const away = new Map<string, number>();
      const begunWith = new Map<string, number>();
      for (let turn = 1; turn <= TURNS; turn += 1) {
        // A new session every few turns, because one long session would only make requests larger. The cooldowns of
        // the keys stay known.
        if (turn % TURNS_OF_A_SESSION === 0) {
          ({ agent } = await runtime.openAgent());
          away.clear();
        }
        const before = log.length;
        const isAway = (provider: FailingProvider) =>
          Math.max(away.get(provider.name) ?? 0, reportedReset(provider, log, clock.now())) > clock.now();
        const expected = providers.find((provider) => !isAway(provider))?.name as string;
        const fallbacks: { from: string; to: string }[] = [];
        const run = agent.run({ userMessage: `question ${turn}` });
        for await (const event of run) if (event.type === 'fallback') fallbacks.push(event);
        expect(await run.result).toMatchObject({
          exitReason: 'completed',
          finalResponse: `answer to question ${turn}`,
        });
        const outcomes = log.slice(before);
        expect(outcomes[0]?.provider).toBe(expected);
        begunWith.set(expected, (begunWith.get(expected) ?? 0) + 1);
        // One event for each change of the model, and one if a turn starts without a provider that was just used.
        const begun =
          fallbacks.length > 0 && fallbacks[0]?.to === `${expected}/test-model` ? fallbacks.splice(0, 1) : [];
        if (begun.length > 0) expect(expected).not.toBe('first');
        const changes = outcomes.filter(
          ({ provider }, index) => provider !== (outcomes[index - 1]?.provider ?? expected),
        );
        expect(fallbacks.map(({ to }) => to)).toEqual(changes.map(({ provider }) => `${provider}/test-model`));
        checkSteps(providers, log, before);
        noteAway(away, providers, log, before);
        clock.advance(Math.floor(random() ** 3 * HOUR));
      }
      await runtime.close();

      // Every kind of failure occurred, and every recovery was used.
      expect(new Set(log.map(({ did }) => did.type)).size).toBe(6);
      expect([...begunWith.keys()].toSorted()).toEqual(['first', 'second', 'third']);
      const charges = await readCharges(home);
      for (const provider of providers) {
        const { server, keys, name } = provider;
        for (const key of keys.length === 1 ? [] : keys) {
          const sent = log.filter((outcome) => outcome.key === key).length;
          expect([key, charges.get(key)]).toMatchObject([key, { uses: sent }]);
          expect([key, charges.get(key)?.rest]).toEqual([key, restOf(key, log, false)]);
        }
        const foreign = providers.flatMap((other) => (other === provider ? [] : other.keys));
        for (const { headers, rawBody, faults } of server.requests) {
          expect(faults).toEqual([]);
          expect(keys.map((key) => `Bearer ${key}`)).toContain(headers.authorization);
          const sent = JSON.stringify(headers) + rawBody;
          expect([name, foreign.filter((key) => sent.includes(key))]).toEqual([name, []]);
        }
      }
      // No wait for a rate limit exceeds the maximum, and none for an error exceeds the delay of the second attempt.
      expect(Math.max(...clock.sleeps)).toBeLessThanOrEqual(WORTH_WAITING_MS);
    },
    240_000,
  );

  verifies(
    ['CALL-6', 'PROV-9'],
    'two processes share a pool: they start with different keys, and no charge is lost or misattributed',
    { ...fullDoseOnly, timeout: 240_000 },
    async () => {
      const turns = dose(8, 50);
      const clock = createFakeClock();
      await using home = await createTemporaryHome();
      await using world = await startFailingProviders(PLAN, { random: seededRandom(20_261_116), clock });
      const { providers, log } = world;
      await writeFailingHome(home, providers, 'fill_first');
      await writeFile(join(home.workspace, 'note.txt'), 'noted');
      // Neither process gets its first answer before both have sent a request, each with a different key. One of them
      // may send two.
      const both = waitForTwoKeys(providers[0]);
      world.beforeReply = async () => both;
      const script = join(import.meta.dirname, '../support/turns-process.ts');
      const args = [script, home.path, home.workspace, `${turns}`, `${clock.now()}`];
      const expected = Array.from({ length: turns }, (_, index) => `completed answer to question ${index + 1}\n`).join(
        '',
      );
      for (const { stdout, stderr } of await Promise.all([run(args), run(args)])) {
        expect({ stdout, stderr }).toEqual({ stdout: expected, stderr: '' });
      }
      await both;
      const charges = await readCharges(home);
      for (const { keys } of providers.filter((provider) => provider.keys.length > 1)) {
        for (const key of keys) {
          const own = log.filter((outcome) => outcome.key === key);
          expect([key, charges.get(key)?.uses]).toEqual([key, own.length]);
          const reasons = own.flatMap(({ did }) => (isCharged(did) ? [did.type] : []));
          const reason = charges.get(key)?.rest?.reason;
          expect([key, reasons.includes(reason as (typeof reasons)[number])]).toEqual([key, reasons.length > 0]);
        }
      }
      for (const { server } of providers) expect(server.requests.flatMap(({ faults }) => faults)).toEqual([]);
    },
  );
});

async function waitForTwoKeys(provider: FailingProvider | undefined): Promise<void> {
  const keys = () => new Set(provider?.server.requests.map(({ headers }) => headers.authorization));
  for (let count = 2; keys().size < 2; count += 1) await provider?.server.waitForRequests(count);
}

const run = (args: readonly string[]) =>
  promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', ...args]);

/** After a rejection, the next request follows immediately with another key if one is usable. */
function checkSteps(providers: readonly FailingProvider[], log: readonly Outcome[], from: number): void {
  for (let index = from, refusals: string[] = []; index + 1 < log.length; index += 1) {
    const [one, next] = [log[index] as Outcome, log[index + 1] as Outcome];
    if (one.did.type === 'answer' || one.provider !== log[index - 1]?.provider) refusals = [];
    if (!isCharged(one.did)) continue;
    refusals.push(one.key);
    // A key that was rejected this often for the same response is not exchanged again.
    if (refusals.filter((key) => key === one.key).length > MAX_REFUSALS) continue;
    const provider = providers.find(({ name }) => name === one.provider) as FailingProvider;
    const ready = readyKeys(provider, log.slice(0, index + 1), one.at);
    if (ready.length === 0) continue;
    expect([index, next.provider, next.at - one.at]).toEqual([index, one.provider, 0]);
    expect(ready).toContain(next.key);
  }
}

/** A provider that was left because it reported a reset time is unavailable until its first key is usable. */
function noteAway(
  away: Map<string, number>,
  providers: readonly FailingProvider[],
  log: readonly Outcome[],
  from: number,
): void {
  for (let index = from; index + 1 < log.length; index += 1) {
    const [one, next] = [log[index] as Outcome, log[index + 1] as Outcome];
    if (one.provider === next.provider) continue;
    const { keys } = providers.find(({ name }) => name === one.provider) as FailingProvider;
    const reported = one.did.type === 'rate_limit' ? one.did.retryAfterMs : undefined;
    const ends = keys.map((key) => restOf(key, log.slice(0, index + 1), keys.length === 1)?.until ?? 0);
    away.set(one.provider, reported === undefined ? 0 : Math.min(...ends));
  }
}
