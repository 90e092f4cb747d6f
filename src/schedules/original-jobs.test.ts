import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { JsonObject } from '../base/index.ts';
import { createTemporaryHome } from '../testing/index.ts';
import { planDue } from './due.ts';
import { type Job, summarize } from './job.ts';
import { createJobFile, createScheduledJobs, readJobs } from './index.ts';
import { nextRun } from './next-run.ts';

const ZONE = 'America/New_York';
const NOW = Date.parse('2026-11-16T12:00:00Z');

/** A job as the original writes it. */
function original(id: string, more: JsonObject): JsonObject {
  return {
    id,
    name: `Job ${id}`,
    prompt: 'Check the news',
    skills: [],
    skill: null,
    model: null,
    provider: null,
    base_url: null,
    script: null,
    schedule_display: 'every 60m',
    repeat: { times: null, completed: 3 },
    enabled: true,
    state: 'scheduled',
    paused_at: null,
    paused_reason: null,
    created_at: '2026-10-01T09:00:00.123456-04:00',
    last_run_at: '2026-11-16T06:00:00.654321-05:00',
    last_status: 'ok',
    last_error: null,
    last_delivery_error: null,
    deliver: 'origin',
    origin: { platform: 'telegram', chat_id: '123', chat_name: 'Ada', thread_id: null },
    ...more,
  };
}

const cron = (expr: string): JsonObject => ({ kind: 'cron', expr, display: expr });
const interval = (minutes: number): JsonObject => ({ kind: 'interval', minutes, display: `every ${minutes}m` });
const once = (at: string): JsonObject => ({ kind: 'once', run_at: at, display: `once at ${at}` });

/** The stored time of the next run, the one after it, and what is special about the job. */
type Row = [schedule: JsonObject, next: string | null, then: string | undefined, more?: JsonObject];
const ROWS: readonly Row[] = [
  [cron('0 9 * * *'), '2026-11-16T09:00:00-05:00', '2026-11-17T14:00:00Z'],
  [cron('0 9 * * *'), '2026-11-16T09:00:00', '2026-11-17T14:00:00Z'],
  [cron('0 9 * * 1-5'), '2026-11-20T09:00:00-05:00', '2026-11-23T14:00:00Z'],
  [cron('0 9 * * mon,wed'), '2026-11-18T09:00:00-05:00', '2026-11-23T14:00:00Z'],
  [cron('*/15 * * * *'), '2026-11-16T07:15:00-05:00', '2026-11-16T12:30:00Z'],
  [cron('0 0 1 * *'), '2026-12-01T00:00:00-05:00', '2027-01-01T05:00:00Z'],
  [cron('0 0 1 * 1'), '2026-11-23T00:00:00-05:00', '2026-11-30T05:00:00Z'],
  [cron('0 9 1,31 * *'), '2027-02-01T09:00:00-05:00', '2027-03-01T14:00:00Z'],
  [cron('30 2 * * *'), '2027-03-13T02:30:00-05:00', '2027-03-14T07:30:00Z'],
  [cron('30 1 * * *'), '2026-10-31T01:30:00-04:00', '2026-11-01T05:30:00Z'],
  [cron('0 9 * * * 30'), '2026-11-16T09:00:30-05:00', '2026-11-17T14:00:30Z'],
  [cron('*/5 8-18 * * 1-5 0'), '2026-11-16T08:00:00-05:00', '2026-11-16T13:05:00Z'],
  [cron('0 9 * 12 *'), '2026-12-01T09:00:00-05:00', '2026-12-02T14:00:00Z'],
  [cron('0 0 29 2 *'), '2028-02-29T00:00:00-05:00', '2032-02-29T05:00:00Z'],
  [cron('0 22 * * 7'), '2026-11-22T22:00:00-05:00', '2026-11-30T03:00:00Z'],
  [interval(30), '2026-11-16T07:30:00.500000-05:00', '2026-11-16T13:00:00.500Z'],
  [interval(60), '2026-11-16T08:00:00-05:00', '2026-11-16T14:00:00Z'],
  [interval(1440), '2026-11-17T08:00:00-05:00', '2026-11-18T13:00:00Z'],
  [interval(1), '2026-11-16T07:01:00', '2026-11-16T12:02:00Z'],
  [interval(120), '2026-11-16T15:00:00+02:00', '2026-11-16T15:00:00Z'],
  [once('2026-11-20T18:00:00-05:00'), '2026-11-20T18:00:00-05:00', undefined, { repeat: { times: 1, completed: 0 } }],
  [once('2026-11-20T18:00:00'), '2026-11-20T18:00:00', undefined],
  [once('2026-11-20T18:00:00.250000'), null, undefined, { last_run_at: null }],
  [once('2026-11-20 18:00'), '2026-11-20T18:00:00-05:00', undefined],
  [
    cron('@daily'.replace('@daily', '0 0 * * *')),
    '2026-11-17T00:00:00-05:00',
    '2026-11-18T05:00:00Z',
    { skill: 'news', skills: undefined as never },
  ],
  [
    cron('0 8 * * *'),
    '2026-11-17T08:00:00-05:00',
    '2026-11-18T13:00:00Z',
    { deliver: ['telegram', 'slack:#team'] as never },
  ],
  [cron('0 8 * * *'), '2026-11-17T08:00:00-05:00', '2026-11-18T13:00:00Z', { enabled: false, state: 'paused' }],
  [
    interval(15),
    '2026-11-16T07:15:00-05:00',
    '2026-11-16T12:30:00Z',
    { script: 'a.py', workdir: '/srv', no_agent: true },
  ],
  [interval(15), '2026-11-16T07:15:00-05:00', '2026-11-16T12:30:00Z', { context_from: 'x', continuity: true }],
  [
    interval(15),
    '2026-11-16T07:15:00-05:00',
    '2026-11-16T12:30:00Z',
    { model: 'm', provider: 'p', base_url: 'http://x' },
  ],
];

const withoutOffset = (text: string) => (/Z|[+-]\d\d:\d\d$/.test(text) ? text : `${text}-05:00`);

async function openFile() {
  const home = await createTemporaryHome();
  onTestFinished(() => home.remove());
  const jobs = ROWS.map(([schedule, next, , more], index) =>
    original(`job${index}`, { schedule, next_run_at: next, ...more }),
  );
  await home.write('cron/jobs.json', JSON.stringify({ jobs, updated_at: '2026-11-16T07:00:00-05:00' }));
  return { home, storage: createJobFile(home.path, () => NOW) };
}

describe('jobs.json of the original', () => {
  verifies(['CRON-4', 'SURF-6'], 'keeps the next times of all its forms', async () => {
    expect(ROWS).toHaveLength(30);
    const jobs = readJobs(await (await openFile()).storage.list(), ZONE);
    expect(jobs).toHaveLength(ROWS.length);
    for (const [index, [schedule, next, then]] of ROWS.entries()) {
      const job = jobs[index] as Job;
      const planned = Date.parse(withoutOffset(next ?? '2026-11-20T18:00:00.250'));
      expect([index, job.nextRunAt]).toEqual([index, planned]);
      const later = nextRun(job.schedule, planned, planned);
      expect([schedule, later]).toEqual([schedule, then === undefined ? undefined : Date.parse(then)]);
      // A scheduler that looks a second later runs it and plans the same next time.
      const plan = planDue({ ...job, planned }, planned + 1000);
      expect([index, plan.run, plan.next]).toEqual([index, planned, later]);
    }
  });

  verifies('SURF-6', 'is understood: skills, targets, scripts, models and states', async () => {
    const jobs = readJobs(await (await openFile()).storage.list(), ZONE);
    expect(jobs.slice(24).map((job) => summarize(job))).toMatchObject([
      { skills: ['news'], state: 'scheduled', lastStatus: 'ok', deliver: 'origin' },
      { deliver: 'telegram,slack:#team' },
      { state: 'paused' },
      { script: 'a.py', isScriptOnly: true },
      { repeat: { completed: 3, times: undefined } },
      { model: 'p/m' },
    ]);
    expect(jobs[28]).toMatchObject({ contextFrom: ['x'], origin: { platform: 'telegram', chat_id: '123' } });
  });

  verifies('SURF-6', 'keeps every unknown field in every edit', async () => {
    const { home, storage } = await openFile();
    const before = await storage.list();
    const jobs = createScheduledJobs({
      home: home.path,
      storage,
      timeZone: ZONE,
      now: () => NOW,
      checkTarget: () => Promise.resolve(),
    });
    for (const { id } of await jobs.list()) {
      await jobs.edit(id, { prompt: 'Other', deliver: 'telegram', skills: ['a'] });
      await jobs.pause(id);
      await jobs.resume(id).catch(() => undefined);
      await jobs.requestRun(id);
    }
    const after = JSON.parse(await readFile(join(home.path, 'cron', 'jobs.json'), 'utf8')) as { jobs: JsonObject[] };
    const ours = ['prompt', 'deliver', 'skills', 'skill', 'state', 'enabled', 'next_run_at', 'paused_at'];
    for (const [index, job] of before.entries()) {
      const kept = Object.entries(job).filter(([name]) => !ours.includes(name));
      expect(after.jobs[index]).toMatchObject(Object.fromEntries(kept));
    }
  });
});
