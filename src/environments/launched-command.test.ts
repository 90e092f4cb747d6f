import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createTemporaryHome } from '../testing/index.ts';
import { afterDrain } from './launched-command.ts';

const TIME_LIMIT_MS = 20;

verifies(
  'TOOL-6',
  'reads the output of a command even if the event loop was blocked until the time limit',
  async () => {
    const home = await createTemporaryHome();
    onTestFinished(() => home[Symbol.asyncDispose]());
    const printed = join(home.path, 'printed');
    const child = spawn('/bin/sh', ['-c', `echo heard; : > '${printed}'`], { stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
    await new Promise((resolve) => {
      child.once('spawn', resolve);
    });
    const drained = new Promise<string>((resolve) => {
      afterDrain(TIME_LIMIT_MS, () => resolve(output));
    });
    // Block the event loop, so that neither output nor timers are processed.
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (!existsSync(printed)) Atomics.wait(pause, 0, 0, 5);
    Atomics.wait(pause, 0, 0, 2 * TIME_LIMIT_MS);
    expect(await drained).toBe('heard\n');
  },
);
