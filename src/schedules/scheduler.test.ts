import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import type { JsonObject } from '../base/index.ts';
import { silentLogger } from '../contracts/index.ts';
import { openSqliteStore } from '../store/sqlite/index.ts';
import { createTemporaryHome } from '../testing/index.ts';
import { createJobFile, createScheduledJobs, runDueJobs, type SchedulerOptions, startScheduler } from './index.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const HOUR = 3_600_000;

/** A clock that stands still until the test moves it, as the timers of a sleeping computer do. */
function createManualClock(start: number) {
  let now = start;
  const sleepers = new Set<() => void>();
  return {
    now: () => now,
    sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
      const until = now + milliseconds;
      return new Promise((resolve, reject) => {
        const check = () => {
          if (now < until) return;
          sleepers.delete(check);
          resolve();
        };
        sleepers.add(check);
        const stop = () => {
          sleepers.delete(check);
          reject(signal?.reason as Error);
        };
        if (signal?.aborted) stop();
        signal?.addEventListener('abort', stop, { once: true });
      });
    },
    advance(milliseconds: number) {
      now += milliseconds;
      for (const check of sleepers) check();
    },
    get sleepers() {
      return sleepers.size;
    },
  };
}

async function open(options: Partial<SchedulerOptions> = {}) {
  const home = await createTemporaryHome();
  const clock = createManualClock(NOW);
  const store = await openSqliteStore({ file: join(home.path, 'state.db'), clock });
  const runs = await store.openCronStore();
  const storage = createJobFile(home.path, clock.now);
  const jobs = createScheduledJobs({
    home: home.path,
    storage,
    timeZone: 'UTC',
    now: clock.now,
    checkTarget: () => Promise.resolve(),
  });
  const performed: [name: string, plannedAt: number][] = [];
  const skipped: [name: string, count: number][] = [];
  const unknown: string[] = [];
  const optionsOf = (owner: string, more: Partial<SchedulerOptions> = {}): SchedulerOptions => ({
    jobs: storage,
    runs,
    clock,
    logger: silentLogger,
    owner,
    timeZone: 'UTC',
    maxParallel: 4,
    perform: async ({ job, plannedAt }) => {
      performed.push([job.name, plannedAt]);
      return { state: 'done' };
    },
    onSkipped: async (list) =>
      void skipped.push(...list.map(({ job, times }): [string, number] => [job.name, times.length])),
    onUnknown: async (run) => {
      unknown.push(run.jobId);
      return undefined;
    },
    ...options,
    ...more,
  });
  const tick = (owner = 'p1', more: Partial<SchedulerOptions> = {}) =>
    runDueJobs(optionsOf(owner, more), new AbortController().signal);
  onTestFinished(async () => {
    await store.close();
    await home.remove();
  });
  return { home, clock, runs, storage, jobs, performed, skipped, unknown, optionsOf, tick };
}

const hours = (...values: number[]) => values.map((value) => NOW + value * HOUR);

describe('after five hours of sleep', () => {
  verifies(
    ['CRON-3', 'SURF-6'],
    'missed runs are skipped, run once or all run, and skipped runs are reported',
    async () => {
      const { jobs, clock, performed, skipped, tick } = await open();
      for (const missed of ['skip', 'once', 'all'] as const)
        await jobs.create('0 * * * *', { name: missed, prompt: 'x', missed });
      await jobs.create('0 13 * * *', { name: 'daily', prompt: 'x' });
      await jobs.create('every 30m', { name: 'often', prompt: 'x' });
      clock.advance(5 * HOUR + 40 * 60_000);
      await tick();
      const timesOf = (name: string) => performed.flatMap(([job, time]) => (job === name ? [time] : []));
      expect(timesOf('skip')).toEqual([]);
      expect(timesOf('once')).toEqual(hours(5));
      expect(timesOf('all')).toEqual(hours(1, 2, 3, 4, 5));
      expect(timesOf('daily')).toEqual(hours(1));
      expect(timesOf('often')).toEqual([NOW + 5.5 * HOUR]);
      expect(skipped.toSorted()).toEqual([
        ['often', 10],
        ['skip', 5],
      ]);
      await tick();
      expect(performed).toHaveLength(8);
      expect((await jobs.list()).map(({ nextRunAt }) => nextRunAt)).toEqual(
        [6, 6, 6, 25, 6].map((hour) => NOW + hour * HOUR),
      );
    },
  );

  verifies('CRON-3', 'a running scheduler notices that time has passed', async () => {
    const { jobs, clock, performed, optionsOf } = await open();
    await jobs.create('0 * * * *', { name: 'hourly', prompt: 'x', missed: 'once' });
    const scheduler = startScheduler(optionsOf('p1'));
    onTestFinished(() => scheduler.close(0));
    await waitUntil(() => expect(clock.sleepers).toBe(1));
    clock.advance(5 * HOUR + 40 * 60_000);
    await waitUntil(() => expect(performed).toEqual([['hourly', NOW + 5 * HOUR]]));
  });
});

describe('a scheduler', () => {
  verifies('SURF-6', 'starts a job when its time has come, and one that is created meanwhile', async () => {
    const { jobs, clock, performed, optionsOf } = await open();
    await jobs.create('every 1m', { name: 'first', prompt: 'x' });
    const scheduler = startScheduler(optionsOf('p1'));
    onTestFinished(() => scheduler.close(0));
    await waitUntil(() => expect(clock.sleepers).toBe(1));
    clock.advance(59_000);
    await waitUntil(() => expect(clock.sleepers).toBe(1));
    expect(performed).toEqual([]);
    clock.advance(1000);
    await waitUntil(() => expect(performed).toEqual([['first', NOW + 60_000]]));
    // The file is watched, so that nobody waits for the next look at it.
    await jobs.requestRun('first');
    await waitUntil(() => expect(performed).toHaveLength(2));
    expect((await jobs.find('first')).nextRunAt).toBe(NOW + 120_000);
  });

  verifies('CRON-1', 'shares the runs with other processes: each is performed once', async () => {
    const { jobs, clock, performed, runs, tick } = await open();
    for (let index = 0; index < 12; index += 1) await jobs.create('every 1m', { name: `job ${index}`, prompt: 'x' });
    clock.advance(60_000);
    await Promise.all(['p1', 'p2', 'p3'].map((owner) => tick(owner)));
    expect(performed.map(([name]) => name).toSorted()).toEqual(
      Array.from({ length: 12 }, (_, index) => `job ${index}`).toSorted(),
    );
    expect(await runs.listRuns()).toHaveLength(12);
    expect(new Set((await runs.listRuns()).map(({ state }) => state))).toEqual(new Set(['done']));
  });

  verifies('CRON-1', 'claims a run only when it can start it', async () => {
    let [active, most] = [0, 0];
    const gate = Promise.withResolvers<void>();
    const { jobs, clock, runs, tick } = await open({
      maxParallel: 2,
      perform: async () => {
        active += 1;
        most = Math.max(most, active);
        await gate.promise;
        active -= 1;
        return { state: 'done' };
      },
    });
    for (let index = 0; index < 5; index += 1) await jobs.create('every 1m', { name: `job ${index}`, prompt: 'x' });
    clock.advance(60_000);
    const ticking = tick();
    await waitUntil(() => expect(active).toBe(2));
    expect(await runs.listRuns()).toHaveLength(2);
    gate.resolve();
    expect(await ticking).toBe(5);
    expect(most).toBe(2);
  });

  verifies('CRON-2', 'reports the run of a dead process once, and repeats it only if the job says so', async () => {
    const { jobs, runs, unknown, performed, tick, storage } = await open();
    const plain = await jobs.create('every 1h', { name: 'plain', prompt: 'x' });
    const again = await jobs.create('every 1h', { name: 'again', prompt: 'x', rerunUnknown: true });
    for (const { id } of [plain, again]) {
      await runs.claimRun({ jobId: id, plannedAt: NOW, owner: 'killed', claimedAt: NOW }, 30_000);
      await runs.startRun({ jobId: id, plannedAt: NOW }, 's', 30_000);
    }
    const judgeOwner = (owner: string) => (owner === 'killed' ? ('dead' as const) : undefined);
    expect(await tick('p2')).toBe(0);
    await Promise.all(['p2', 'p3'].map((owner) => tick(owner, { judgeOwner })));
    expect(unknown.toSorted()).toEqual([plain.id, again.id].toSorted());
    expect(performed).toEqual([['again', NOW]].map(([name]) => [name, expect.any(Number)]));
    const [first] = await runs.listRuns({ jobId: plain.id });
    expect(first).toMatchObject({ state: 'unknown', sessionId: 's' });
    // A job that kills its process again is not repeated forever.
    const rerun = (await runs.listRuns({ jobId: again.id }))[0];
    expect(rerun?.state).toBe('done');
    const rerunAt = Date.parse(String((await storage.list())[1]?.['rerun_at']));
    expect(rerunAt).toBe(rerun?.plannedAt);
  });

  verifies('CRON-2', 'plans the next time although the process that had the run died before', async () => {
    const { jobs, clock, runs, performed, tick } = await open();
    const { id } = await jobs.create('every 1h', { name: 'a', prompt: 'x' });
    clock.advance(HOUR);
    await runs.claimRun({ jobId: id, plannedAt: NOW + HOUR, owner: 'killed', claimedAt: NOW }, 30_000);
    await tick('p2', { judgeOwner: () => 'dead' });
    expect(performed).toEqual([]);
    expect((await jobs.find('a')).nextRunAt).toBe(NOW + 2 * HOUR);
  });

  it('skips a run while the previous one is running, or queues it', async () => {
    const gates: (() => void)[] = [];
    const started: [string, number][] = [];
    const { jobs, clock, optionsOf } = await open({
      perform: async ({ job, plannedAt }) => {
        started.push([job.name, plannedAt]);
        await new Promise<void>((resolve) => gates.push(resolve));
        return { state: 'done' };
      },
    });
    await jobs.create('every 1m', { name: 'skips', prompt: 'x' });
    await jobs.create('every 1m', { name: 'queues', prompt: 'x', overlap: 'queue' });
    const scheduler = startScheduler(optionsOf('p1'));
    onTestFinished(async () => {
      for (const release of gates) release();
      await scheduler.close(0);
    });
    await waitUntil(() => expect(clock.sleepers).toBe(1));
    clock.advance(60_000);
    await waitUntil(() => expect(started).toHaveLength(2));
    clock.advance(120_000);
    await waitUntil(async () => expect((await jobs.find('skips')).nextRunAt).toBe(NOW + 240_000));
    for (const release of gates.splice(0)) release();
    await waitUntil(() => expect(started.at(-1)).toEqual(['queues', NOW + 120_000]));
    for (const release of gates.splice(0)) release();
    await waitUntil(() => expect(started.at(-1)).toEqual(['queues', NOW + 180_000]));
    expect(started.filter(([name]) => name === 'skips')).toEqual([['skips', NOW + 60_000]]);
  });

  it('does not run a job that was removed or paused after it had been found', async () => {
    const { jobs, clock, storage, runs, performed, tick } = await open();
    for (const name of ['removed', 'paused']) await jobs.create('every 1h', { name, prompt: 'x' });
    clock.advance(HOUR);
    const stale = await storage.list();
    await jobs.remove('removed');
    await jobs.pause('paused');
    await tick('p1', { jobs: { ...storage, list: () => Promise.resolve(stale) } });
    expect(performed).toEqual([]);
    expect(await runs.listRuns()).toEqual([]);
  });

  it('interrupts runs that do not end in time when it is closed, and records them', async () => {
    const { jobs, clock, runs, optionsOf } = await open({
      perform: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ state: 'failed', error: 'interrupted' }));
        }),
    });
    await jobs.create('every 1h', { name: 'a', prompt: 'x' });
    const scheduler = startScheduler(optionsOf('p1'));
    await waitUntil(() => expect(clock.sleepers).toBe(1));
    clock.advance(HOUR);
    await waitUntil(() => expect(scheduler.running).toBe(1));
    await waitUntil(async () => expect(await runs.listRuns()).toMatchObject([{ state: 'running' }]));
    await scheduler.close(10);
    expect(await runs.listRuns()).toMatchObject([{ state: 'failed', error: 'interrupted' }]);
    expect(await jobs.find('a')).toMatchObject({ lastStatus: 'error', lastError: 'interrupted' });
  });

  it('ends a job after its last repetition, and keeps it in the list', async () => {
    const { jobs, clock, performed, tick } = await open();
    await jobs.create('every 1h', { name: 'twice', prompt: 'x', repeat: 2 });
    await jobs.create('30m', { name: 'once', prompt: 'x' });
    for (let hour = 0; hour < 4; hour += 1) {
      clock.advance(HOUR);
      await tick();
    }
    expect(performed.map(([name]) => name)).toEqual(expect.arrayContaining(['once', 'twice', 'twice']));
    expect(performed).toHaveLength(3);
    expect((await jobs.list()).map(({ state }) => state)).toEqual(['completed', 'completed']);
    clock.advance(31 * 24 * HOUR);
    await tick();
    expect(await jobs.list()).toEqual([]);
  });

  it('keeps looking for due jobs if the file is damaged for a while', async () => {
    const { home, jobs, clock, performed, optionsOf } = await open();
    await jobs.create('every 1m', { name: 'a', prompt: 'x' });
    const file = join(home.path, 'cron', 'jobs.json');
    const content = await readFile(file, 'utf8');
    await writeFile(file, '{ not json');
    const error = vi.fn();
    const scheduler = startScheduler(optionsOf('p1', { logger: { ...silentLogger, error } }));
    onTestFinished(() => scheduler.close(0));
    await waitUntil(() => expect(error).toHaveBeenCalled());
    expect(await readFile(file, 'utf8')).toBe('{ not json');
    await writeFile(file, content);
    await waitUntil(() => {
      // Again and again, because the scheduler may be reading the file instead of waiting.
      clock.advance(60_000);
      expect(performed.length).toBeGreaterThan(0);
    });
  });
});

it('keeps fields and entries that Hermes does not know', async () => {
  const { home, jobs, clock, tick } = await open();
  const file = join(home.path, 'cron', 'jobs.json');
  const { id } = await jobs.create('every 1h', { name: 'a', prompt: 'x' });
  const content = JSON.parse(await readFile(file, 'utf8')) as { jobs: JsonObject[] };
  const foreign = { id: 'moon', schedule: { kind: 'moon', phase: 'full' }, more: [1] };
  const own = { ...content.jobs[0], continuity: true, deep: { kept: 'yes' } };
  await writeFile(file, JSON.stringify({ ...content, version: 7, jobs: [foreign, own] }));
  await jobs.edit(id, { prompt: 'y' });
  await jobs.pause(id);
  await jobs.resume(id);
  clock.advance(HOUR);
  await tick();
  const after = JSON.parse(await readFile(file, 'utf8')) as { version: number; jobs: JsonObject[] };
  expect(after.version).toBe(7);
  expect(after.jobs[0]).toEqual(foreign);
  expect(after.jobs[1]).toMatchObject({ continuity: true, deep: { kept: 'yes' }, prompt: 'y', last_status: 'ok' });
});
