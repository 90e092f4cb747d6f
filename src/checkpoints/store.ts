import { access, chmod, mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HermesError } from '../base/index.ts';
import { ensurePrivateFolder, LockTimeout, withFileLock, writeFileAtomic } from '../util/index.ts';
import { ATTRIBUTES, EXCLUDED } from './list-files.ts';
import type { StorePlace } from './store-place.ts';

/** What a killed program left behind is removed when nobody can be at work on it any more. */
const LEFT_BEHIND_MS = 10 * 60 * 1000;
const LOCK_PATIENCE_MS = 10_000;

export async function hasStore(place: StorePlace): Promise<boolean> {
  return access(place.aboutFile).then(
    () => true,
    () => false,
  );
}

/** Does something with the store of a directory while no other process does, and makes the store where there is none. */
export async function withStore<Value>(
  place: StorePlace,
  signal: AbortSignal,
  task: () => Promise<Value>,
): Promise<Value> {
  await ensurePrivateFolder(dirname(place.folder));
  await chmod(dirname(place.folder), 0o700);
  await ensurePrivateFolder(place.folder);
  const prepared = async () => {
    if (!(await hasStore(place))) await makeStore(place);
    await removeLeftBehind(place);
    const now = new Date();
    await utimes(place.aboutFile, now, now);
    return task();
  };
  return withFileLock(place.lockFile, prepared, { timeoutMs: LOCK_PATIENCE_MS, signal }).catch((thrown: unknown) => {
    if (!(thrown instanceof LockTimeout)) throw thrown;
    throw new HermesError(`Another process is at work on the checkpoints of ${place.directory}.`, {
      hint: 'Try again when it is done.',
    });
  });
}

/** All that git needs to take a folder for a repository. Made by `git init` it could have hooks, from a template. */
const FILES: Readonly<Record<string, string>> = {
  HEAD: 'ref: refs/heads/none\n',
  config: '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n',
  'info/attributes': ATTRIBUTES,
  'info/exclude': EXCLUDED,
};

/** The last file that is written says that it is whole. */
async function makeStore(place: StorePlace): Promise<void> {
  await rm(place.store, { recursive: true, force: true });
  for (const folder of ['info', 'objects', 'refs']) await mkdir(join(place.store, folder), { recursive: true });
  for (const [name, content] of Object.entries(FILES)) await writeFile(join(place.store, name), content);
  await writeFileAtomic(place.aboutFile, JSON.stringify({ directory: place.directory }), { mode: 0o600 });
}

/** Locks of git in the store, and indexes of earlier tries: their owners are gone, else we would not have the lock. */
async function removeLeftBehind({ folder, store }: StorePlace): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('index.'));
  for (const name of names) {
    const age = Date.now() - ((await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0);
    if (age > LEFT_BEHIND_MS) await rm(join(folder, name), { force: true });
  }
  for (const part of [store, join(store, 'refs', 'checkpoints')]) {
    const locks = (await readdir(part).catch(() => [])).filter((name) => name.endsWith('.lock'));
    for (const name of locks) await rm(join(part, name), { force: true });
  }
}
