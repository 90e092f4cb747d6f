import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { terminateTree } from './process-tree.ts';

it('kills a process that ignores SIGTERM, even if this process was blocked during the grace period', async () => {
  const mark = 'a-mark-of-this-test';
  const script = 'trap "" TERM; echo ready; while :; do sleep 1; done';
  const child = spawn('/bin/sh', ['-c', script], {
    detached: true,
    env: { HERMES_CALL: mark, PATH: process.env['PATH'] },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const ended = terminateTree({ pid: child.pid ?? 0, tag: mark });
  // Block this process until long after the grace period, as on a busy machine.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_700);
  expect(await ended).toBe(true);
});
