import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeFolders, makeFoldersSync } from './make-folders.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-folders-'));
  onTestFinished(() => rm(folder, { recursive: true }));
});

describe.each([
  ['makeFolders', makeFolders],
  ['makeFoldersSync', async (...given: Parameters<typeof makeFoldersSync>) => makeFoldersSync(...given)],
] as const)('%s', (_, make) => {
  it('makes what is missing with the mode, and leaves what is there', async () => {
    const deep = join(folder, 'a/b/c');
    await make(deep, { mode: 0o700 });
    await make(deep, { mode: 0o755 });
    await make('/');
    for (const made of [deep, join(folder, 'a')]) expect((await stat(made)).mode & 0o777).toBe(0o700);
  });

  it('says what stands in the way', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(make(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(make(join(folder, 'file/below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it.skipIf(!existsSync('/proc/self'))('ends where nothing can be made in a folder that is there', async () => {
    for (const path of ['/proc/nothing-of-the-kind', '/proc/nothing-of-the-kind/below'])
      await expect(make(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
