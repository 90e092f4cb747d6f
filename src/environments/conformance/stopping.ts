import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { type Bench, isRunning, ownSeconds, untilRunning } from './bench.ts';

export function describeStopping(bench: () => Bench): void {
  describe('a command that is stopped', () => {
    verifies(['TOOL-6', 'LOOP-7'], 'ends with everything it started, wherever that went', async () => {
      const [near, far, last] = [ownSeconds(), ownSeconds(), ownSeconds()];
      // Its parent has ended and it has left the session: nothing but the mark leads to it.
      const orphan = ownSeconds();
      const command = `(setsid sleep ${orphan} >/dev/null 2>&1 &); sleep ${near} & setsid sh -c 'sleep ${far} & exec sleep ${last}' >/dev/null 2>&1 & wait`;
      const abort = new AbortController();
      const running = bench().run(command, { signal: abort.signal });
      for (const seconds of [near, far, last, orphan]) await untilRunning(`sleep ${seconds}`);
      abort.abort();
      expect(await running).toMatchObject({ ended: 'interrupted', exitCode: undefined, leftRunning: false });
      expect([near, far, last, orphan].filter((seconds) => isRunning(`sleep ${seconds}`))).toEqual([]);
    });

    verifies('TOOL-6', 'is asked first, and keeps what it then says', async () => {
      const seconds = ownSeconds();
      const abort = new AbortController();
      const command = `trap "echo asked; exit 0" TERM; sleep ${seconds} & wait`;
      const running = bench().run(command, { signal: abort.signal });
      await untilRunning(`sleep ${seconds}`);
      abort.abort();
      expect(await running).toMatchObject({ output: 'asked\n', ended: 'interrupted', leftRunning: false });
    });

    it('is killed where it does not listen', async () => {
      const seconds = ownSeconds();
      const abort = new AbortController();
      const command = `trap '' TERM; sleep ${seconds}; sleep ${seconds}`;
      const running = bench().run(command, { signal: abort.signal });
      await untilRunning(`sleep ${seconds}`);
      abort.abort();
      expect(await running).toMatchObject({ ended: 'interrupted', leftRunning: false });
      expect(isRunning(`sleep ${seconds}`)).toBe(false);
    });
  });
  describeUnruly(bench);
}

function describeUnruly(bench: () => Bench): void {
  describe('an unruly command that is stopped', () => {
    it('ends with what left its session, also as the very first command of an environment', async () => {
      const seconds = ownSeconds();
      const { run } = await bench().fresh();
      const abort = new AbortController();
      // Not even the sleep listens, so it outlives the asking and has lost its parent when all are killed.
      const running = run(`trap '' TERM; setsid --wait sleep ${seconds}; true`, { signal: abort.signal });
      await untilRunning(`sleep ${seconds}`);
      abort.abort();
      expect(await running).toMatchObject({ ended: 'interrupted', leftRunning: false });
      expect(isRunning(`sleep ${seconds}`)).toBe(false);
    });

    it('may have been printing for ever', async () => {
      const { output, ended } = await bench().run('yes', { timeoutMs: 500, maxOutput: 1000 });
      expect(ended).toBe('timeout');
      expect(output.length).toBeLessThan(1100);
    });

    it('may have been starting others all the time', async () => {
      const seconds = ownSeconds();
      const command = `while :; do setsid sleep ${seconds} >/dev/null 2>&1 & sleep 0.02; done`;
      const { ended, leftRunning } = await bench().run(command, { timeoutMs: 500 });
      expect({ ended, leftRunning }).toEqual({ ended: 'timeout', leftRunning: false });
      expect(isRunning(`sleep ${seconds}`)).toBe(false);
    });

    it('is not begun after an abort', async () => {
      const { run, environment } = bench();
      expect((await run('touch begun', { signal: AbortSignal.abort() })).ended).toBe('interrupted');
      expect(await environment.stat('begun')).toBeUndefined();
    });
  });
}
