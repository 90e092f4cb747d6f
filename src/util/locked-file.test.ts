import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { ConfigurationError } from '../base/index.ts';
import { changeFile, currentProcess, runUnlessLocked, writeFileAtomic } from './index.ts';

describe('changing a shared file', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hermes-shared-'));
    file = join(folder, 'home', 'list');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const add = (path: string, line: string) =>
    changeFile(path, async () => {
      const before = await readFile(path, 'utf8').catch(() => '');
      await writeFileAtomic(path, `${before}${line}\n`);
    });
  const linesOf = async () => (await readFile(file, 'utf8')).trimEnd().split('\n').toSorted();

  verifies('BOUND-4', 'loses no change, also if several links lead to the file', async () => {
    await add(file, 'first');
    const link = join(folder, 'link');
    await symlink(file, link);
    const names = Array.from({ length: 20 }, (_, index) => `line ${index + 10}`);
    await Promise.all(names.map((name, index) => add(index % 2 === 0 ? file : link, name)));
    expect(await linesOf()).toEqual(['first', ...names]);
    expect(await readdir(join(folder, 'home'))).toEqual(['list']);
    expect(await readdir(folder)).toEqual(['home', 'link']);
  });

  verifies('BOUND-4', 'says who holds the lock, and that nothing was changed', async () => {
    await add(file, 'first');
    await changeFile(file, async () => {
      const refused = await changeFile(file, async () => 'never', { timeoutMs: 10 }).catch((thrown: unknown) => thrown);
      expect(refused).toBeInstanceOf(ConfigurationError);
      expect(refused).toMatchObject({
        message: expect.stringMatching(`locked by process ${process.pid} for \\d+ s\\. Nothing was changed\\.$`),
        hint: expect.stringContaining(`end it and delete ${file}.lock`),
      });
    });
    await writeFile(`${file}.lock`, JSON.stringify({ ...currentProcess(), pid: 12, scope: 'elsewhere' }));
    await expect(changeFile(file, async () => 'never', { timeoutMs: 10 })).rejects.toThrow('locked by process 12 for');
  });

  verifies('BOUND-4', 'says why the file cannot be written', async () => {
    await writeFile(join(folder, 'home'), 'a file where a folder should be');
    const refused = await add(file, 'x').catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(ConfigurationError);
    expect(refused).toMatchObject({
      message: expect.stringMatching(/^Could not write .*list: .*\. Nothing was changed\.$/),
    });
  });

  it('passes on errors of the task', async () => {
    await expect(changeFile(file, () => Promise.reject(new Error('no')))).rejects.toThrow(/^no$/);
  });

  it('is skipped by a caller that cannot wait, until the lock is released or abandoned', async () => {
    await mkdir(join(folder, 'home'));
    const lock = `${file}.lock`;
    const ran: string[] = [];
    runUnlessLocked(lock, () => {
      runUnlessLocked(lock, () => ran.push('inner'));
      ran.push('outer');
    });
    expect(ran).toEqual(['outer']);
    expect(await readdir(join(folder, 'home'))).toEqual([]);
  });
});
