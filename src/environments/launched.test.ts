import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createTemporaryHome } from '../testing/index.ts';
import { afterDrain } from './launched.ts';

const TIME_LIMIT_MS = 20;

verifies(
  'TOOL-6',
  'what a command printed is read also by a program that was busy until its time was over',
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
    // Nothing is read meanwhile: neither what is printed nor the clock.
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (!existsSync(printed)) Atomics.wait(pause, 0, 0, 5);
    Atomics.wait(pause, 0, 0, 2 * TIME_LIMIT_MS);
    expect(await drained).toBe('heard\n');
  },
);
