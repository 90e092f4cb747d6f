import { access, chmod, mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HermesError } from '../base/index.ts';
import { ensurePrivateFolder, LockTimeout, withFileLock, writeFileAtomic } from '../util/index.ts';
import { ATTRIBUTES, EXCLUDED } from './list-files.ts';
import type { StorePaths } from './store-paths.ts';

/** Temporary files of a killed process are removed after this time, when no process can be using them. */
const LEFTOVER_AGE_MS = 10 * 60 * 1000;
const LOCK_TIMEOUT_MS = 10_000;

export async function hasStore(paths: StorePaths): Promise<boolean> {
  return access(paths.aboutFile).then(
    () => true,
    () => false,
  );
}

/** Runs a task with exclusive access to the store of a directory. Creates the store if it does not exist. */
export async function withStore<Value>(
  paths: StorePaths,
  signal: AbortSignal,
  task: () => Promise<Value>,
): Promise<Value> {
  await ensurePrivateFolder(dirname(paths.folder));
  await chmod(dirname(paths.folder), 0o700);
  await ensurePrivateFolder(paths.folder);
  const prepared = async () => {
    if (!(await hasStore(paths))) await createStore(paths);
    await removeLeftovers(paths);
    const now = new Date();
    await utimes(paths.aboutFile, now, now);
    return task();
  };
  return withFileLock(paths.lockFile, prepared, { timeoutMs: LOCK_TIMEOUT_MS, signal }).catch((thrown: unknown) => {
    if (!(thrown instanceof LockTimeout)) throw thrown;
    throw new HermesError(`Another process is using the checkpoints of ${paths.directory}.`, {
      hint: 'Try again when it has finished.',
    });
  });
}

/** The minimum that git accepts as a repository. `git init` could add hooks from a template. */
const FILES: Readonly<Record<string, string>> = {
  HEAD: 'ref: refs/heads/none\n',
  config: '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n',
  'info/attributes': ATTRIBUTES,
  'info/exclude': EXCLUDED,
};

/** Writes the about file last: its existence means that the store is complete. */
async function createStore(paths: StorePaths): Promise<void> {
  await rm(paths.store, { recursive: true, force: true });
  for (const folder of ['info', 'objects', 'refs']) await mkdir(join(paths.store, folder), { recursive: true });
  for (const [name, content] of Object.entries(FILES)) await writeFile(join(paths.store, name), content);
  await writeFileAtomic(paths.aboutFile, JSON.stringify({ directory: paths.directory }), { mode: 0o600 });
}

/** Removes git's lock files and old index files. Their owners no longer run, otherwise we would not hold the lock. */
async function removeLeftovers({ folder, store }: StorePaths): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('index.'));
  for (const name of names) {
    const age = Date.now() - ((await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0);
    if (age > LEFTOVER_AGE_MS) await rm(join(folder, name), { force: true });
  }
  for (const part of [store, join(store, 'refs', 'checkpoints')]) {
    const locks = (await readdir(part).catch(() => [])).filter((name) => name.endsWith('.lock'));
    for (const name of locks) await rm(join(part, name), { force: true });
  }
}
