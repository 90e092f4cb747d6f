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
      const begun = Promise.withResolvers<void>();
      const running = bench().run(command, { signal: abort.signal, onBegun: () => begun.resolve() });
      // One that is not known to have begun is ended without being asked.
      await Promise.all([begun.promise, untilRunning(`sleep ${seconds}`)]);
      abort.abort();
      expect(await running).toMatchObject({ output: 'asked\n', ended: 'interrupted', leftRunning: false });
    });

    it('is asked with what it starts only then', async () => {
      const [first, second] = [ownSeconds(), ownSeconds()];
      const abort = new AbortController();
      const command = `trap 'sleep ${second} & wait $!; echo "$?"; exit 0' TERM; sleep ${first} & wait`;
      const begun = Promise.withResolvers<void>();
      const running = bench().run(command, { signal: abort.signal, onBegun: () => begun.resolve() });
      // One that is not known to have begun is ended without being asked.
      await Promise.all([begun.promise, untilRunning(`sleep ${first}`)]);
      abort.abort();
      // That of SIGTERM: whoever is killed instead has nobody left who could say so.
      expect((await running).output).toMatch(/^143$/m);
    });

    // Each of them waits for the time between asking and killing, so all do it at once.
    verifies(
      'TOOL-6',
      'is killed where it does not listen, with all it started and what left its session',
      async () => {
        await Promise.all([stopDeafCommand(bench()), stopFirstCommand(bench()), killDeafProcess(bench())]);
      },
    );
  });
  describeUnruly(bench);
}

function describeUnruly(bench: () => Bench): void {
  describe('an unruly command that is stopped', () => {
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

async function stopDeafCommand({ run }: Bench): Promise<void> {
  const seconds = ownSeconds();
  const abort = new AbortController();
  const running = run(`trap '' TERM; sleep ${seconds}; sleep ${seconds}`, { signal: abort.signal });
  await untilRunning(`sleep ${seconds}`);
  abort.abort();
  expect(await running).toMatchObject({ ended: 'interrupted', leftRunning: false });
  expect(isRunning(`sleep ${seconds}`)).toBe(false);
}

/** The very first of an environment, which has no shell yet that it could start from. */
async function stopFirstCommand(bench: Bench): Promise<void> {
  const seconds = ownSeconds();
  const { run } = await bench.fresh();
  const abort = new AbortController();
  // Not even the sleep listens, so it outlives the asking and has lost its parent when all are killed.
  const running = run(`trap '' TERM; setsid --wait sleep ${seconds}; true`, { signal: abort.signal });
  await untilRunning(`sleep ${seconds}`);
  abort.abort();
  expect(await running).toMatchObject({ ended: 'interrupted', leftRunning: false });
  expect(isRunning(`sleep ${seconds}`)).toBe(false);
}

async function killDeafProcess({ environment }: Bench): Promise<void> {
  const [near, far] = [ownSeconds(), ownSeconds()];
  const command = `trap '' TERM; setsid sleep ${far} >/dev/null 2>&1 & sleep ${near}; sleep ${near}`;
  const process = await environment.start(command);
  for (const seconds of [near, far]) await untilRunning(`sleep ${seconds}`);
  expect(await process.kill()).toBe(true);
  expect([near, far].filter((seconds) => isRunning(`sleep ${seconds}`))).toEqual([]);
  expect((await process.ended).exitCode).toBeUndefined();
  expect(await process.kill()).toBe(true);
}
