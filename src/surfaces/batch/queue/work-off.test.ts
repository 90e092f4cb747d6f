import { describe, expect, it } from 'vitest';
import type { JobQueue } from './job-queue.ts';
import { workOff } from './work-off.ts';

const gone = () => Promise.reject(new Error('connection refused'));
/** A database that is away. */
const AWAY: JobQueue = {
  ...{ sql: gone, create: gone, add: gone, unfinished: gone, take: gone, touch: gone, done: gone, giveBack: gone },
  ...{ returnWorkOfTheDead: gone, remove: gone, close: () => Promise.resolve() },
};

describe('a worker that has nothing to do', () => {
  it('ends when it is asked to, though the database is away', async () => {
    const asked = new AbortController();
    const notes: string[] = [];
    const report = await workOff({
      ...{ queue: AWAY, load: gone, workers: 2, patienceMs: 3_600_000, untilDone: false, signal: asked.signal },
      onNote(text) {
        notes.push(text);
        asked.abort(new Error('Interrupted.'));
      },
    });
    expect(report).toMatchObject({ ended: 0, stop: { reason: 'signal' } });
    expect(notes).toEqual(['The database does not answer, and is asked again: connection refused']);
  });
});
