import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { type OpenStore, openHarness, START } from './store-harness.ts';

const TTL = 30_000;
const run = (jobId: string, plannedAt = START) => ({ jobId, plannedAt });

export function describeCron(openStore: OpenStore): void {
  describe('the runs of scheduled jobs', () => {
    async function open() {
      const harness = await openHarness(openStore);
      const cron = await harness.store.openCronStore();
      return { ...harness, cron, openOther: async () => (await harness.openAgain()).openCronStore() };
    }
    const claim = (jobId: string, owner = 'process 1') => ({ ...run(jobId), owner, claimedAt: START + 5 });

    verifies('CRON-1', 'belong to the process that took them first', async () => {
      const { cron, openOther } = await open();
      const other = await openOther();
      const claims = [cron, other, cron, other].map((store, index) =>
        store.claimRun(claim('a', `process ${index}`), TTL),
      );
      expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
      expect(await other.claimRun(claim('b'), TTL)).toBe(true);
      expect(await other.claimRun({ ...claim('a'), plannedAt: START + 60_000 }, TTL)).toBe(true);
      expect(await cron.listRuns({ jobId: 'a' })).toMatchObject([{ plannedAt: START + 60_000 }, { state: 'claimed' }]);
    });

    verifies('CRON-2', 'are claimed, running and then done or failed, with their delivery', async () => {
      const { cron } = await open();
      await cron.claimRun(claim('a'), TTL);
      expect(await cron.startRun(run('a'), 's1', TTL)).toBe(true);
      expect(await cron.startRun(run('a'), 's2', TTL)).toBe(false);
      expect(await cron.listRuns()).toMatchObject([{ state: 'running', sessionId: 's1', endedAt: undefined }]);
      const end = { outputPath: '/x.md', deliveries: ['d1'], deliveryError: 'chat not found' };
      await cron.endRun(run('a'), { ...end, state: 'done', endedAt: START + 9 });
      const ended = { ...run('a'), state: 'done', owner: 'process 1', claimedAt: START + 5, endedAt: START + 9 };
      expect(await cron.listRuns()).toEqual([{ ...ended, sessionId: 's1', error: undefined, ...end }]);
    });

    verifies('CRON-2', 'are unknown if their process died, and reported to one process only', async () => {
      const { cron, openOther, advance } = await open();
      await cron.claimRun(claim('slow'), TTL);
      await cron.claimRun(claim('dead'), TTL);
      await cron.startRun(run('dead'), 's1', TTL);
      advance(TTL - 1000);
      expect(await cron.renewRun(run('slow'), TTL)).toBe(true);
      expect(await cron.giveUpRuns(START + 1)).toEqual([]);
      advance(2000);
      const other = await openOther();
      const given = (await Promise.all([cron.giveUpRuns(START + 1), other.giveUpRuns(START + 1)])).flat();
      expect(given).toMatchObject([{ jobId: 'dead', state: 'unknown', sessionId: 's1', endedAt: START + 1 }]);
      expect(await cron.renewRun(run('dead'), TTL)).toBe(false);
      expect(await cron.claimRun(claim('dead'), TTL)).toBe(false);
      expect(await other.listRuns({ jobId: 'dead' })).toMatchObject([{ state: 'unknown' }]);
    });

    verifies('CRON-2', 'are unknown immediately if the caller knows that their process is dead', async () => {
      const { cron, advance } = await open();
      for (const owner of ['own', 'killed', 'elsewhere']) await cron.claimRun(claim(owner, owner), TTL);
      const judge = (owner: string) => (({ own: 'alive', killed: 'dead' }) as const)[owner];
      expect(await cron.giveUpRuns(START, judge)).toMatchObject([{ jobId: 'killed', state: 'unknown' }]);
      expect(await cron.listOpenRuns()).toMatchObject([{ jobId: 'elsewhere' }, { jobId: 'own' }]);
      advance(TTL + 1000);
      expect(await cron.giveUpRuns(START, judge)).toMatchObject([{ jobId: 'elsewhere' }]);
    });

    it('can be released until they start', async () => {
      const { cron } = await open();
      for (const jobId of ['a', 'b']) await cron.claimRun(claim(jobId), TTL);
      await cron.startRun(run('b'), undefined, TTL);
      for (const jobId of ['a', 'b']) await cron.releaseRun(run(jobId));
      expect(await cron.listRuns()).toMatchObject([{ jobId: 'b' }]);
      expect(await cron.claimRun(claim('a'), TTL)).toBe(true);
    });

    it('are pruned when they have ended', async () => {
      const { cron } = await open();
      for (const jobId of ['a', 'b']) await cron.claimRun(claim(jobId), TTL);
      await cron.endRun(run('a'), { state: 'failed', error: 'x', endedAt: START });
      await cron.pruneRuns(START);
      expect(await cron.listRuns()).toHaveLength(2);
      await cron.pruneRuns(START + 1);
      expect(await cron.listRuns()).toMatchObject([{ jobId: 'b' }]);
    });

    verifies(
      'CRON-1',
      'have jobs in a table, which two processes change at the same time without losing one',
      async () => {
        const { cron, openOther } = await open();
        const other = await openOther();
        const add = (store: typeof cron, id: string) =>
          store.changeStoredJobs((jobs) => [...jobs, { id, own: { kept: true } }]);
        await Promise.all(['a', 'b', 'c', 'd'].map((id, index) => add(index % 2 === 0 ? cron : other, id)));
        const jobs = await cron.listStoredJobs();
        expect(jobs.map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'c', 'd']);
        expect(jobs[0]).toMatchObject({ own: { kept: true } });
        await other.changeStoredJobs((all) => all.filter(({ id }) => id !== 'b').map((job) => ({ ...job, n: 1 })));
        expect((await cron.listStoredJobs()).map(({ id, n }) => [id, n]).toSorted()).toEqual([
          ['a', 1],
          ['c', 1],
          ['d', 1],
        ]);
      },
    );
  });
}
