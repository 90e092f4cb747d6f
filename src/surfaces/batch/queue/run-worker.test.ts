import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../base/index.ts';
import type { JobQueue } from './open-queue.ts';
import { runWorker } from './run-worker.ts';

const gone = () => Promise.reject(new Error('connection refused'));
/** A database that does not respond. */
const AWAY: JobQueue = {
  sql: gone,
  create: gone,
  add: gone,
  unfinished: gone,
  take: gone,
  touch: gone,
  complete: gone,
  requeue: gone,
  requeueExpired: gone,
  remove: gone,
  close: () => Promise.resolve(),
};

describe('an idle worker', () => {
  it('stops on a signal while the database is unavailable', async () => {
    const asked = new AbortController();
    const notes: string[] = [];
    const report = await runWorker({
      queue: AWAY,
      load: gone,
      workers: 2,
      maxWaitMs: 3_600_000,
      untilDone: false,
      signal: asked.signal,
      onNote(text) {
        notes.push(text);
        asked.abort(new Error('Interrupted.'));
      },
    });
    expect(report).toMatchObject({ ended: 0, stop: { reason: 'signal' } });
    expect(notes).toEqual(['The database is unavailable; retrying: connection refused']);
  });
});

describe('a worker that cannot run the prompts of a run', () => {
  it('takes none of them, and reports why', async () => {
    const run = { id: 'run_1', state: 'open', manifest: '{}', options: '{"inputFolder": "/"}', created_at: 1 };
    const counts = { prompts: 2, kept: 0, dropped: 0, failed: 0, usd: 0, tokens: 0, cost_known: true };
    const queue: JobQueue = {
      ...AWAY,
      sql: (text) => Promise.resolve([text.includes('FROM hermes_batch.runs') ? run : counts]),
      take: () => Promise.reject(new Error('something was taken')),
    };
    const report = await runWorker({
      queue,
      workers: 2,
      maxWaitMs: 0,
      untilDone: true,
      signal: new AbortController().signal,
      load: () => Promise.reject(new ConfigurationError('There is no key.', { hint: 'Add one.' })),
      onNote: (text) => expect(text).toBe(''),
    });
    expect(report.stop).toEqual({ reason: 'failures', message: 'There is no key.', hint: 'Add one.' });
  });
});
