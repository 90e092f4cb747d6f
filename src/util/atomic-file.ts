import { randomBytes } from 'node:crypto';
import { chmod, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolders } from './folders.ts';

export type AtomicWriteOptions = {
  /** Permission bits of the file. Default: those of the file that is replaced, otherwise 0600. */
  mode?: number;
  /** False omits fsync, for a file that is useless after a power failure. Default: true. */
  durable?: boolean;
};

/** Replaces a file atomically: readers see either the old or the new content, even after a crash. */
export async function writeFileAtomic(
  file: string,
  content: string | Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<void> {
  const target = await findTarget(file);
  const mode = options.mode ?? (await modeOf(target)) ?? 0o600;
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeNew(temporary, content, { mode, durable: options.durable ?? true });
    await rename(temporary, target);
  } catch (thrown) {
    await rm(temporary, { force: true });
    // The temporary name says nothing to a user.
    if ((thrown as NodeJS.ErrnoException).path === temporary) Object.assign(thrown as Error, { path: file });
    throw thrown;
  }
}

/** Creates a folder and its missing parents, accessible only by their owner. Existing folders are not changed. */
export async function ensurePrivateFolder(folder: string): Promise<void> {
  await makeFolders(folder, { mode: 0o700 });
}

async function writeNew(
  file: string,
  content: string | Uint8Array,
  { mode, durable }: Required<AtomicWriteOptions>,
): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    await handle.writeFile(content);
    // Without fsync, a power failure could leave an empty file under the new name.
    if (durable) await handle.sync();
  } finally {
    await handle.close();
  }
  // The umask restricts the mode passed to open; a file that was shared on purpose must stay shared.
  await chmod(file, mode);
}

/**
 * The file to replace. Symbolic links, as dotfile managers create them, are followed. A device, a FIFO or a dangling
 * link is rejected, because a regular file cannot replace it.
 */
async function findTarget(file: string): Promise<string> {
  const present = await lstat(file).catch(() => undefined);
  if (present === undefined) return file;
  const reached = await stat(file).catch(() => undefined);
  if (!reached?.isFile()) throw new Error(`${file} is not a regular file`);
  return realpath(file);
}

async function modeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch {
    return undefined;
  }
}
