import { constants, realpathSync, statSync } from 'node:fs';
import { open, readdir, readlink, realpath, stat, unlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { errorMessage } from '../../base/index.ts';
import type { DirectoryEntry, Environment, FilePart, FileStat } from '../../contracts/index.ts';
import { makeFolders, writeFileAtomic } from '../../util/index.ts';

type FileOperations = Pick<Environment, 'readFile' | 'writeFile' | 'removeFile' | 'stat' | 'list' | 'resolvePath'>;

/** The number of links that the kernel follows before it reports a loop. */
const MAX_LINKS = 40;

export function createLocalFiles(currentDirectory: () => string): FileOperations {
  const absolute = (path: string) => resolve(currentDirectory(), expandHome(path));
  return {
    readFile: (path, part) => readRegularFile(absolute(path), part),
    async writeFile(path, content) {
      const target = await resolveLinks(absolute(path), MAX_LINKS);
      await makeFolders(dirname(target));
      // A new file gets the default permissions, not private ones.
      const existing = await statOrMissing(target);
      await writeFileAtomic(target, content, existing ? {} : { mode: 0o666 & ~process.umask() });
    },
    removeFile: (path) => unlink(absolute(path)),
    async stat(path) {
      const target = absolute(path);
      const found =
        (target === currentDirectory() ? tryCurrentDirectory(() => statSync(target)) : undefined) ??
        (await statOrMissing(target));
      return found && { kind: kindOf(found), size: found.size, modifiedMs: found.mtimeMs };
    },
    async list(path) {
      const entries = await readdir(absolute(path), { withFileTypes: true });
      return entries.map((entry): DirectoryEntry => ({ name: entry.name, kind: kindOf(entry) }));
    },
    async resolvePath(path) {
      const target = absolute(path);
      const here = target === currentDirectory() ? tryCurrentDirectory(() => realpathSync.native(target)) : undefined;
      return here ?? resolveLinks(target, MAX_LINKS);
    },
  };
}

/**
 * Checks the current directory synchronously, because that happens before every command and takes a tenth of the time
 * of the asynchronous call. If its disk hangs, starting the command there would block as well.
 */
function tryCurrentDirectory<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch {
    // The asynchronous call that follows reports the error.
    return undefined;
  }
}

/**
 * Checks the file type before opening, because opening a device can have side effects, and again afterwards, because
 * the file may have been replaced. O_NONBLOCK avoids waiting for the writer of a FIFO.
 */
async function readRegularFile(path: string, { offset = 0, length }: FilePart = {}): Promise<Uint8Array> {
  requireFile(path, await stat(path));
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    requireFile(path, found);
    if (offset === 0 && length === undefined) return await handle.readFile();
    const end = Math.min(length ?? Number.POSITIVE_INFINITY, Math.max(found.size - offset, 0));
    const bytes = Buffer.alloc(end);
    let filled = 0;
    while (filled < end) {
      const { bytesRead } = await handle.read(bytes, filled, end - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } finally {
    await handle.close();
  }
}

function requireFile(path: string, found: { isFile(): boolean; isDirectory(): boolean }): void {
  if (found.isDirectory()) throw new Error(`EISDIR: ${path} is a directory`);
  if (!found.isFile()) throw new Error(`${path} is not a regular file`);
}

/** Models write `~` as in a shell, but no shell expands it here. */
function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): FileStat['kind'] {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'directory' : 'other';
}

/** Returns undefined for a missing file and throws if permission is denied. */
async function statOrMissing(path: string) {
  try {
    return await stat(path);
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

/**
 * Resolves symbolic links as far as the path exists. A dangling link resolves to its target, which a write would
 * create.
 */
async function resolveLinks(path: string, linksLeft: number): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const folder = await resolveLinks(parent, linksLeft);
  const here = join(folder, basename(path));
  const target = await linkTarget(here);
  if (target === undefined) return here;
  if (linksLeft === 0) throw new Error(`too many symbolic links at ${path}`);
  return resolveLinks(isAbsolute(target) ? target : resolve(folder, target), linksLeft - 1);
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (thrown) {
    // EINVAL: the path has been created in the meantime and is not a link.
    if (isMissing(thrown) || errorMessage(thrown).startsWith('EINVAL')) return undefined;
    throw thrown;
  }
}

function isMissing(thrown: unknown): boolean {
  const code = (thrown as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
