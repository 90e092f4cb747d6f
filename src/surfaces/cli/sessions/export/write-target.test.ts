import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTemporaryHome, type TemporaryHome } from '../../../../testing/index.ts';
import { writeNewFile } from './write-target.ts';

let home: TemporaryHome;
beforeEach(async () => {
  home = await createTemporaryHome();
});
afterEach(() => home.remove());

const target = () => join(home.workspace, 'all.html');

async function* pieces(...list: (string | Error)[]): AsyncGenerator<string> {
  for (const piece of list) {
    if (piece instanceof Error) throw piece;
    yield piece;
  }
}

describe('writing a new file', () => {
  it('creates a private file that gets its name when it is complete', async () => {
    async function* looking(): AsyncGenerator<string> {
      yield 'a'.repeat(100_000);
      expect(readdirSync(home.workspace)).not.toContain('all.html');
      yield 'end';
    }
    await writeNewFile(target(), looking());
    expect(readdirSync(home.workspace)).toEqual(['all.html']);
    expect(readFileSync(target(), 'utf8')).toBe(`${'a'.repeat(100_000)}end`);
    expect(statSync(target()).mode & 0o777).toBe(0o600);
  });

  it('leaves no file after a failure', async () => {
    const failing = pieces('x'.repeat(100_000), new Error('no more room'));
    await expect(writeNewFile(target(), failing)).rejects.toThrow(/Cannot write .*all\.html: no more room/);
    expect(readdirSync(home.workspace)).toEqual([]);
  });

  it('does not overwrite a file that was created in the meantime', async () => {
    async function* overtaken(): AsyncGenerator<string> {
      yield 'mine';
      writeFileSync(target(), 'theirs');
    }
    await expect(writeNewFile(target(), overtaken())).rejects.toThrow('already exists');
    expect(readdirSync(home.workspace)).toEqual(['all.html']);
    expect(readFileSync(target(), 'utf8')).toBe('theirs');
  });

  it('removes the staging file when the process exits early', async () => {
    const module = JSON.stringify(pathToFileURL(join(import.meta.dirname, 'write-target.ts')));
    const script = `const { writeNewFile } = await import(${module});
      async function* endless() {
        yield 'x'.repeat(100_000);
        process.stdout.write('written');
        process.stdin.resume().once('data', () => process.exit(3));
        await new Promise(() => undefined);
      }
      await writeNewFile(${JSON.stringify(target())}, endless());`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
    await once(child.stdout, 'data');
    expect(readdirSync(home.workspace)).toEqual([expect.stringMatching(/^\.all\.html\..*\.part$/)]);
    child.stdin.write('leave');
    expect(await once(child, 'exit')).toEqual([3, null]);
    expect(readdirSync(home.workspace)).toEqual([]);
  });
});
