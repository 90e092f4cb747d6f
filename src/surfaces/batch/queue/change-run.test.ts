import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { startPostgres } from '../../../../test/support/postgres/index.ts';
import { pgbouncerSkipReason, startPgbouncer } from '../../../../test/support/postgres/pgbouncer.ts';
import type { PromptLine } from '../prompts/read-prompts.ts';
import { cancelRun, retryFailed } from './change-run.ts';
import { collectRun } from './collect-run.ts';
import { type JobQueue, openQueue } from './open-queue.ts';
import {
  countRun,
  type QueuedRun,
  queueName,
  requireRun,
  savePrompts,
  saveQueuedResult,
  saveRun,
  type StoredResult,
} from './queued-runs.ts';

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let url: string;
let queue: JobQueue;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.remove());
beforeEach(async () => {
  url = await postgres.createDatabase();
  queue = await openQueue(url);
});
afterEach(() => queue.close());

const promptOf = (text: string): PromptLine => ({ text, attachments: [], metadata: {} });

const MANIFEST: QueuedRun['manifest'] = {
  version: 1,
  id: 'run_1',
  startedAt: 1,
  provider: 'test',
  model: 'test',
  distributionName: 'default',
  seed: 0,
  distribution: {},
  partSize: 100,
  tools: [],
  metadataKeys: [],
};

/** A run whose prompts are all in the queue, except those without a text. */
async function submitted(
  texts: readonly string[],
  state: QueuedRun['state'] = 'open',
  id = 'run_1',
): Promise<QueuedRun> {
  const manifest = { ...MANIFEST, id };
  const run: QueuedRun = { id, state, manifest, options: { inputFolder: '/' }, createdAt: 1 };
  await saveRun(queue, run);
  await queue.create(queueName(run), 6);
  const prompts = texts.map((text, index) => ({ index, key: String(index), prompt: promptOf(text) }));
  await savePrompts(queue, run.id, prompts);
  await queue.add(
    queueName(run),
    prompts.flatMap(({ index, prompt }) => (prompt.text === '' ? [] : [index])),
  );
  return run;
}

const save = (run: QueuedRun, index: number, kind: 'kept' | 'failed', cost: Partial<StoredResult> = {}) =>
  saveQueuedResult(queue, run.id, { index, kind, line: '{}', usd: 0, tokens: 0, costKnown: true, ...cost });

async function workOff(run: QueuedRun, kind: 'kept' | 'failed', count = 100): Promise<void> {
  for (const job of await queue.take(queueName(run), count)) {
    await save(run, job.index, kind);
    await queue.complete(queueName(run), job);
  }
}

const takenOf = async (run: QueuedRun) =>
  (await queue.take(queueName(run), 100)).map(({ index }) => index).sort((first, second) => first - second);

describe('retrying a run', () => {
  it('requeues failed prompts with any characters, but no invalid lines', async () => {
    const run = await submitted(['plain', 'a NUL \u0000 here', 'half \ud800 a character', '', '"quotes"']);
    await save(run, 3, 'failed');
    await workOff(run, 'failed');
    expect(await retryFailed(queue, run)).toBe(4);
    expect(await takenOf(run)).toEqual([0, 1, 2, 4]);
  });

  it('requeues the remaining prompts of a cancelled run', async () => {
    const run = await submitted(['0', '1', '2', '3']);
    await workOff(run, 'kept', 1);
    await workOff(run, 'failed', 1);
    await cancelRun(queue, run);
    expect(await retryFailed(queue, await requireRun(queue, run.id))).toBe(3);
    expect(await takenOf(run)).toHaveLength(3);
    expect(await requireRun(queue, run.id)).toMatchObject({ state: 'open' });
  });

  it('requeues prompts whose results an interrupted retry deleted', async () => {
    const run = await submitted(['0', '1']);
    await workOff(run, 'failed');
    const dying: JobQueue = { ...queue, add: () => Promise.reject(new Error('killed')) };
    await expect(retryFailed(dying, run)).rejects.toThrow('killed');
    expect(await retryFailed(queue, run)).toBe(2);
    expect(await takenOf(run)).toEqual([0, 1]);
  });

  it('does not requeue waiting or running prompts', async () => {
    const run = await submitted(['0', '1', '2']);
    await queue.take(queueName(run), 1);
    expect(await retryFailed(queue, run)).toBe(0);
    expect(await takenOf(run)).toHaveLength(2);
  });

  it('keeps the cost of discarded results', async () => {
    const run = await submitted(['0', '1', '2']);
    await save(run, 0, 'kept', { usd: 1, tokens: 10 });
    await save(run, 1, 'failed', { usd: 0.5, tokens: 5 });
    await save(run, 2, 'failed', { usd: 0.25, tokens: 2, costKnown: false });
    await retryFailed(queue, run);
    expect(await countRun(queue, run.id)).toEqual({
      prompts: 3,
      kept: 1,
      dropped: 0,
      failed: 0,
      usd: 1.75,
      tokens: 17,
      costKnown: false,
    });
    await save(run, 1, 'failed', { usd: 2, tokens: 20 });
    await retryFailed(queue, run);
    expect(await countRun(queue, run.id)).toMatchObject({ failed: 0, usd: 3.75, tokens: 37 });
  });

  it('keeps the cost of both workers that finished the same prompt, each once', async () => {
    const run = await submitted(['0']);
    const [first, second] = [
      { usd: 1, tokens: 10, attempt: 'a' },
      { usd: 2, tokens: 20, costKnown: false, attempt: 'b' },
    ];
    await Promise.all([save(run, 0, 'kept', first), save(run, 0, 'failed', second)]);
    // Repeated, as after an answer of the database that was lost.
    await save(run, 0, 'failed', second);
    await save(run, 0, 'kept', first);
    const { kept, failed, ...counts } = await countRun(queue, run.id);
    expect(kept + failed).toBe(1);
    expect(counts).toEqual({ prompts: 1, dropped: 0, usd: 3, tokens: 30, costKnown: false });
  });

  it('is rejected until all prompts are submitted', async () => {
    const run = await submitted(['0'], 'submitting');
    await expect(retryFailed(queue, run)).rejects.toThrow('is not completely submitted');
    expect(await requireRun(queue, run.id)).toMatchObject({ state: 'submitting' });
  });
});

describe('cancelling a run', () => {
  it('does not disturb a worker that has or requests some of its prompts', async () => {
    const run = await submitted(['0', '1']);
    const [job] = await queue.take(queueName(run), 1);
    await cancelRun(queue, run);
    // A new queue object, because another machine would have nothing in memory.
    const worker = await openQueue(url);
    try {
      const name = queueName(run);
      if (job === undefined) throw new Error('nothing was taken');
      await worker.touch(name, [job]);
      await worker.complete(name, job);
      await worker.requeue(name, job);
      await worker.requeueExpired(name);
      expect(await worker.take(name, 1)).toEqual([]);
    } finally {
      await worker.close();
    }
  });
});

describe('collecting a run', () => {
  it('does not mix it with one that started at the same time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hermes-collect-'));
    try {
      const [first, second] = [await submitted(['0']), await submitted(['0', '1'], 'open', 'run_2')];
      await save(first, 0, 'kept');
      expect(await collectRun(queue, first, folder)).toMatchObject({ prompts: 1 });
      await expect(collectRun(queue, second, folder)).rejects.toThrow('contains the files of another run');
      expect(await collectRun(queue, first, folder)).toMatchObject({ prompts: 1 });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

const withoutPooler = pgbouncerSkipReason();
describe.skipIf(withoutPooler !== '')(`a queue behind PgBouncer in transaction mode${withoutPooler}`, () => {
  verifies('TRAJ-5', 'gives every job to one worker', async () => {
    const pooler = await startPgbouncer(postgres.url);
    const workers = await Promise.all([openQueue(pooler.through(url)), openQueue(pooler.through(url))]);
    const run = await submitted(['0', '1', '2', '3', '4', '5']);
    const taken = (await Promise.all(workers.map((worker) => worker.take(queueName(run), 3)))).flat();
    expect(new Set(taken.map(({ index }) => index)).size).toBe(6);
    await Promise.all(taken.map((job) => workers[0]?.complete(queueName(run), job)));
    expect((await workers[0]?.unfinished(queueName(run)))?.size).toBe(0);
    await Promise.all(workers.map((worker) => worker.close()));
    await pooler.close();
  });
});
