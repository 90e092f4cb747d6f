import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeFolders, makeFoldersSync, markFolderOwner, removeAbandonedFolders } from './folders.ts';
import { processScope } from './operating-system/index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-folders-'));
  onTestFinished(() => rm(folder, { recursive: true }));
});

describe.each([
  ['makeFolders', makeFolders],
  ['makeFoldersSync', async (...given: Parameters<typeof makeFoldersSync>) => makeFoldersSync(...given)],
] as const)('%s', (_, make) => {
  it('creates missing folders with the given mode, and does not change existing ones', async () => {
    const deep = join(folder, 'a/b/c');
    await make(deep, { mode: 0o700 });
    await make(deep, { mode: 0o755 });
    await make('/');
    for (const made of [deep, join(folder, 'a')]) expect((await stat(made)).mode & 0o777).toBe(0o700);
  });

  it('reports what is in the way', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(make(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(make(join(folder, 'file/below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it.skipIf(!existsSync('/proc/self'))(
    'fails instead of looping if a folder cannot be created in an existing one',
    async () => {
      for (const path of ['/proc/nothing-of-the-kind', '/proc/nothing-of-the-kind/below'])
        await expect(make(path)).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );
});

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'hermes-abandoned-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

/** Higher than any process id. */
const NOBODY = 2 ** 22 + 1;

function leave(name: string, owner: string): void {
  mkdirSync(join(parent, name, 'with', 'content'), { recursive: true });
  writeFileSync(join(parent, name, 'owner.json'), owner);
}

it('removes folders of processes that have ended, and nothing else', () => {
  leave('it-gone', JSON.stringify({ pid: NOBODY, scope: processScope() }));
  leave('it-elsewhere', JSON.stringify({ pid: NOBODY, scope: 'another machine' }));
  leave('other-gone', JSON.stringify({ pid: NOBODY, scope: processScope() }));
  mkdirSync(join(parent, 'it-mine'));
  markFolderOwner(join(parent, 'it-mine'));
  mkdirSync(join(parent, 'it-unmarked'));
  removeAbandonedFolders(parent, 'it-');
  expect(readdirSync(parent).sort()).toEqual(['it-elsewhere', 'it-mine', 'it-unmarked', 'other-gone']);
});

it('does not follow or remove links', () => {
  leave('gone', JSON.stringify({ pid: NOBODY, scope: processScope() }));
  symlinkSync(join(parent, 'gone'), join(parent, 'it-link'));
  symlinkSync(join(parent, 'nowhere'), join(parent, 'it-nothing'));
  removeAbandonedFolders(parent, 'it-');
  expect(readdirSync(parent).sort()).toEqual(['gone', 'it-link', 'it-nothing']);
});

it.runIf(process.getuid?.() === 0)('does not remove folders of another user', () => {
  leave('it-theirs', JSON.stringify({ pid: NOBODY, scope: processScope() }));
  chownSync(join(parent, 'it-theirs'), 12_345, 12_345);
  removeAbandonedFolders(parent, 'it-');
  expect(readdirSync(parent)).toEqual(['it-theirs']);
});

it('keeps folders without a valid owner file, whatever is in it', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (owner) => {
      leave('it', owner);
      removeAbandonedFolders(parent, 'it');
      expect(readdirSync(parent)).toEqual(['it']);
    }),
  );
});
