import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HermesProcess, startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { manyPrompts, oneCallEach, readRun, writePrompts } from '../support/batch-fixture.ts';
import { jsonLines, useCliFixture } from '../support/cli-fixture.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { startPostgres } from '../support/postgres/index.ts';
import { runHermes } from '../support/run-hermes.ts';

const PROMPTS = 120;
const WORKERS = 4;

describe('a batch run over PostgreSQL', () => {
  const fixture = useCliFixture();
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.remove());

  /**
   * Creates a database and a temporary folder inside the home, so that files of a killed worker are removed with it.
   */
  const setUp = async () => {
    const temporary = join(fixture.home.userHome, 'tmp');
    await mkdir(temporary);
    const env = { HERMES_DATABASE_URL: await postgres.createDatabase(), TMPDIR: temporary };
    const run = (...words: string[]) => runHermes(['batch', ...words], { home: fixture.home, env, timeoutMs: 120_000 });
    const worker = () =>
      startHermes(['batch', 'worker', '--until-done', '--workers', '4'], { home: fixture.home, env, input: '' });
    return { run, worker };
  };
  const at = (name: string) => join(fixture.home.workspace, name);

  verifies(
    'TRAJ-5',
    'runs each prompt once even if workers are killed, with the same files as a run on one machine',
    { ...fullDoseOnly, timeout: 240_000 },
    async () => {
      await fixture.configure();
      fixture.server.setScript(oneCallEach);
      await writePrompts(fixture.home, [...manyPrompts(PROMPTS - 2), { prompt: '' }, { prompt: 'print number 0' }]);
      const { run, worker } = await setUp();
      await run('run', '--input', 'prompts.jsonl', '--output', 'local', '--workers', '8');
      const submitted = await run('submit', '--input', 'prompts.jsonl');
      expect(submitted.exitCode, submitted.stderr).toBe(0);
      const id = submitted.stdout.trim();
      const crew: HermesProcess[] = Array.from({ length: WORKERS }, worker);
      for (const [index, victim] of [crew[0], crew[1], crew[0]].entries()) {
        const seen = fixture.server.requests.length;
        await fixture.server.waitForRequests(seen + 10 + 7 * index);
        victim?.kill('SIGKILL');
        await victim?.exited;
        crew[index % 2] = worker();
      }
      for (const { exited } of crew) expect(await exited).toMatchObject({ exitCode: 0 });
      const status = JSON.parse((await run('status', '--json')).stdout) as unknown;
      expect(status).toMatchObject([{ id, state: 'done', prompts: PROMPTS, kept: PROMPTS - 1, failed: 1, left: 0 }]);
      expect(await run('collect', id.slice(0, -2), '--output', 'collected')).toMatchObject({ exitCode: 3 });
      const [local, collected] = [await readRun(at('local')), await readRun(at('collected'))];
      expect(collected.trajectories).toEqual(local.trajectories);
      expect(Object.keys(collected.parts)).toEqual(Object.keys(local.parts));
      expect(collected.failed.map((line) => line['reason'])).toEqual(local.failed.map((line) => line['reason']));
      expect({ ...collected.statistics, ...TIMES }).toEqual({ ...local.statistics, ...TIMES });
    },
  );

  it(
    'retries failed prompts, adds them to the collected ones, and removes a run from the queue',
    fullDoseOnly,
    async () => {
      await fixture.configure();
      let broken = true;
      fixture.server.setScript((request) =>
        broken && request.lastUserText.endsWith('2')
          ? { fault: { type: 'status', status: 400, message: 'what is that' } }
          : oneCallEach(request),
      );
      await writePrompts(fixture.home, manyPrompts(4));
      const { run } = await setUp();
      const id = (await run('submit', '--input', 'prompts.jsonl')).stdout.trim();
      expect(await run('worker', '--until-done')).toMatchObject({
        exitCode: 0,
        stdout: '4 prompts processed here, 1 of them failed\n',
      });
      await run('collect', id, '--output', 'out');
      expect((await readRun(at('out'))).failed).toHaveLength(1);
      broken = false;
      expect(await run('retry', id)).toMatchObject({ stdout: 'Returned 1 prompt to the queue.\n' });
      await run('worker', '--until-done');
      expect(await run('collect', id, '--output', 'out')).toMatchObject({ exitCode: 0 });
      const { trajectories, failed } = await readRun(at('out'));
      expect([trajectories.length, failed.length]).toEqual([4, 0]);
      const second = (await run('submit', '--input', 'prompts.jsonl')).stdout.trim();
      await run('cancel', second);
      expect(await run('worker', '--until-done')).toMatchObject({ stdout: '0 prompts processed here\n' });
      expect(await run('collect', second, '--output', 'out')).toMatchObject({ exitCode: 2 });
      const listed = jsonLines(JSON.stringify(JSON.parse((await run('status', '--json')).stdout)));
      expect(listed[0]).toMatchObject([{ state: 'done' }, { state: 'cancelled', left: 4 }]);
    },
  );

  it('starts no more prompts at the spending limit, and says so', async () => {
    await fixture.configure('model_overrides:\n  test-model:\n    price: { input: 10, output: 10 }\n');
    fixture.server.setScript(() => ({ text: 'ok', reasoning: 'hm', usage: { input: 50_000, output: 50_000 } }));
    await writePrompts(fixture.home, manyPrompts(4));
    const { run } = await setUp();
    await run('submit', '--input', 'prompts.jsonl', '--max-spend', '2');
    expect(await run('worker', '--until-done', '--workers', '1')).toMatchObject({
      stdout: '2 prompts processed here\n',
    });
    const status = JSON.parse((await run('status', '--json')).stdout) as unknown;
    expect(status).toMatchObject([{ state: 'limit_reached', kept: 2, left: 2, cost_usd: 2 }]);
    // Without prices the limit cannot be enforced.
    await fixture.configure();
    await run('submit', '--input', 'prompts.jsonl', '--max-spend', '2');
    expect(await run('worker', '--until-done', '--workers', '1')).toMatchObject({
      stdout: '1 prompt processed here\n',
    });
    expect((await run('status')).stdout).toMatch(/ {2}limit_reached .*\n {4}1 of 4 prompts kept, 3 left/);
  });

  it('counts what an interrupted prompt cost', fullDoseOnly, async () => {
    await fixture.configure('model_overrides:\n  test-model:\n    price: { input: 10, output: 10 }\n');
    const usage = { input: 50_000, output: 50_000 };
    fixture.server.setScript((request) =>
      request.toolResults.length === 0 ? { ...oneCallEach(request), usage } : { fault: { type: 'stall' } },
    );
    await writePrompts(fixture.home, manyPrompts(1));
    const { run, worker } = await setUp();
    await run('submit', '--input', 'prompts.jsonl');
    const working = worker();
    await fixture.server.waitForRequests(2);
    working.kill('SIGINT');
    await working.waitForOutput('Finishing the prompts in progress');
    working.kill('SIGINT');
    await working.exited;
    const status = JSON.parse((await run('status', '--json')).stdout) as unknown;
    expect(status).toMatchObject([{ state: 'open', kept: 0, left: 1, cost_usd: 1 }]);
  });

  it('continues when the database comes back, without losing finished work', fullDoseOnly, async () => {
    await fixture.configure();
    const gate = Promise.withResolvers<void>();
    fixture.server.setScript(async (request) => {
      await gate.promise;
      return oneCallEach(request);
    });
    await writePrompts(fixture.home, manyPrompts(8));
    const { run, worker } = await setUp();
    const id = (await run('submit', '--input', 'prompts.jsonl')).stdout.trim();
    const working = worker();
    await fixture.server.waitForRequests(4);
    await postgres.stop();
    gate.resolve();
    await working.waitForOutput('The database is unavailable');
    await postgres.start();
    expect(await working.exited).toMatchObject({ exitCode: 0 });
    expect(await run('collect', id, '--output', 'out')).toMatchObject({ exitCode: 0 });
    expect((await readRun(at('out'))).trajectories).toHaveLength(8);
  });

  it('reports what is wrong with a database URL, without its password', async () => {
    await fixture.configure();
    await writePrompts(fixture.home, manyPrompts(1));
    const { run } = await setUp();
    const gone = `postgres://someone:walrus@127.0.0.1:1/nothing`;
    const refused = await run('submit', '--input', 'prompts.jsonl', '--queue', gone);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('Could not connect to the queue')]);
    expect(refused.stderr).not.toContain('walrus');
    for (const wrong of ['mysql://x:walrus@y/z', 'postgres://x:%walrus@y/z']) {
      const unread = await run('status', '--queue', wrong);
      expect([unread.exitCode, unread.stderr]).toEqual([2, expect.stringContaining('The database URL')]);
      expect(unread.stderr).not.toContain('walrus');
    }
    const nowhere = await runHermes(['batch', 'status'], { home: fixture.home });
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([2, expect.stringContaining('HERMES_DATABASE_URL')]);
  });
});

/** Fields that differ between two runs of the same prompts. */
const TIMES = { started_at: '', finished_at: '', tokens: 0 };
