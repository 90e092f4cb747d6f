import { randomBytes } from 'node:crypto';
import { chmod, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolders } from './folders.ts';

export type AtomicWriteOptions = {
  /** Permission bits of the file. Left out: those of the file that is replaced, else 0600. */
  mode?: number;
};

/** Replaces a file in one step: whoever reads it, or a crash, meets the old or the new content, never a half. */
export async function writeFileAtomic(
  file: string,
  content: string | Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<void> {
  const target = await findTarget(file);
  const mode = options.mode ?? (await modeOf(target)) ?? 0o600;
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeDurably(temporary, content, mode);
    await rename(temporary, target);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

/** Makes a folder, and those above it, that only its owner can look into. An existing one is left as it is. */
export async function ensurePrivateFolder(folder: string): Promise<void> {
  await makeFolders(folder, { mode: 0o700 });
}

async function writeDurably(file: string, content: string | Uint8Array, mode: number): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    await handle.writeFile(content);
    // Without this a power cut can leave the new name on an empty file.
    await handle.sync();
  } finally {
    await handle.close();
  }
  // The mode given to open is narrowed by the umask; a file that was shared on purpose stays shared.
  await chmod(file, mode);
}

/**
 * What is to be replaced. A link, as dotfile managers make them, is written through; a device, a FIFO or a link that
 * leads nowhere is left alone, because a plain file in its place would be no replacement.
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
