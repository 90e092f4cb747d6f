import { constants, createReadStream, createWriteStream } from 'node:fs';
import { access, lstat, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ConfigurationError, HermesError } from '../../base/index.ts';
import type { ImportLimits } from '../../config/index.ts';
import { fileErrorReason, timestampForFileName } from '../../util/index.ts';
import { checkIntegrity } from '../../store/sqlite/index.ts';
import { type BackupManifest, MANIFEST_NAME, readManifest } from './manifest.ts';
import { collect, readTar, type TarEntry } from '../../util/tar/index.ts';

/** A backup that was unpacked and checked but does not replace anything yet. */
export type UnpackedBackup = {
  manifest: BackupManifest;
  /**
   * Moves the backup to the home directory. An existing home directory is kept next to it, and its path is returned.
   */
  install(): Promise<{ kept: string | undefined }>;
  discard(): Promise<void>;
};

/** An archive up to this size may have any ratio: an empty database alone compresses well. */
const FREE_BYTES = 64 * 1024 * 1024;
const BACKUP_HINT = 'Pass a file that `hermes backup` wrote. Nothing was changed.';

export type UnpackOptions = { file: string; home: string; limits: ImportLimits; signal?: AbortSignal | undefined };

/** Unpacks a backup next to a home directory and checks it. Throws if it is invalid; nothing is left behind then. */
export async function unpackBackup({ file, home, limits, signal }: UnpackOptions): Promise<UnpackedBackup> {
  await assertReadable(file);
  const target = await realpath(home).catch(() => home);
  const folder = `${target}.importing-${process.pid}`;
  const discard = () => rm(folder, { recursive: true, force: true });
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const manifest = await unpack({ file, folder, limits, signal });
    await checkDatabases(folder, manifest, signal);
    return { manifest, discard, install: () => place(folder, target) };
  } catch (thrown) {
    await discard();
    signal?.throwIfAborted();
    if (thrown instanceof ConfigurationError) throw thrown;
    throw new ConfigurationError(`Cannot import ${file}: ${explainImportError(thrown)}.`, {
      hint: BACKUP_HINT,
      cause: thrown,
    });
  }
}

/** Checked first, so that a wrong path is reported before a problem with the home directory. */
async function assertReadable(file: string): Promise<void> {
  await access(file, constants.R_OK).catch((thrown: unknown) => {
    throw new ConfigurationError(`Cannot import ${file}: ${fileErrorReason(thrown)}.`, {
      hint: BACKUP_HINT,
      cause: thrown,
    });
  });
}

/** Explains gzip errors, which say nothing to a user; other errors explain themselves. */
function explainImportError(thrown: unknown): string {
  const { code } = thrown as NodeJS.ErrnoException;
  return code?.startsWith('Z_')
    ? 'it is not a gzip archive, or it is damaged'
    : fileErrorReason(thrown)
        .replace(/\.$/, '')
        .replace(/^The archive cannot be read: /, '');
}

type Unpacking = Omit<UnpackOptions, 'home'> & { folder: string };

async function unpack({ file, folder, limits, signal }: Unpacking): Promise<BackupManifest> {
  const input = createReadStream(file);
  const unzipped = createGunzip();
  const reading = pipeline(input, unzipped, { signal });
  // The reader of the stream below reports the error.
  reading.catch(() => undefined);
  try {
    const content = limitExpansion(unzipped, () => input.bytesRead, limits);
    return await unpackEntries(readTar(content), { folder, maxFiles: limits.maxFiles, signal });
  } finally {
    input.destroy();
    unzipped.destroy();
  }
}

/** Passes the content on until it exceeds a limit, so that nothing beyond it is read or written. */
async function* limitExpansion(
  content: AsyncIterable<Uint8Array>,
  bytesRead: () => number,
  { maxBytes, maxRatio }: ImportLimits,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const part of content) {
    bytes += part.length;
    if (bytes > maxBytes) throw tooLarge(`its content is larger than ${megabytes(maxBytes)}`, '--max-size');
    if (bytes > FREE_BYTES && bytes > bytesRead() * maxRatio)
      throw tooLarge(`it expands to more than ${maxRatio} times its size`, '--max-ratio');
    yield part;
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}

function tooLarge(what: string, option: string): ConfigurationError {
  return new ConfigurationError(`The backup was rejected: ${what}. Nothing was changed.`, {
    hint: `If you trust the file, raise the limit with ${option}.`,
  });
}

type EntryOptions = { folder: string; maxFiles: number; signal: AbortSignal | undefined };

async function unpackEntries(
  entries: AsyncIterable<TarEntry>,
  { folder, maxFiles, signal }: EntryOptions,
): Promise<BackupManifest> {
  let manifest: BackupManifest | undefined;
  let count = 0;
  const written = new Set<string>();
  for await (const entry of entries) {
    count += 1;
    if (count > maxFiles + 1) throw tooLarge(`it contains more than ${maxFiles} files`, 'backup.max_import_files');
    if (manifest === undefined) {
      manifest = await readFirst(entry);
      continue;
    }
    validateEntry(entry);
    if (entry.type === 'folder') continue;
    await writeEntry(entry, folder, signal);
    written.add(entry.path);
  }
  const missing = manifest?.files.find((path) => !written.has(path));
  if (manifest === undefined || missing !== undefined)
    throw new HermesError(`it does not contain ${missing ?? MANIFEST_NAME}.`);
  return manifest;
}

async function readFirst(entry: TarEntry): Promise<BackupManifest> {
  const isManifest = entry.path === MANIFEST_NAME && entry.size < 50_000_000;
  const text = isManifest ? (await collect(entry.content)).toString() : '';
  const manifest = readManifest(text);
  if (manifest === undefined) throw new HermesError('it is not a Hermes backup, or it was written by a newer version.');
  return manifest;
}

/** Archives are untrusted: only regular files inside the home directory are accepted. */
function validateEntry({ path, type }: TarEntry): void {
  const parts = path.split(/[\\/]/);
  const isInside = path !== '' && !/^[\\/]|^[a-z]:/i.test(path) && !parts.includes('..') && !path.includes('\0');
  if ((type === 'file' || type === 'folder') && isInside) return;
  throw new HermesError(`its entry "${path}" is not a regular file inside the home directory.`);
}

async function writeEntry(entry: TarEntry, folder: string, signal: AbortSignal | undefined): Promise<void> {
  const file = join(folder, entry.path);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Files of a home directory are private, whatever mode the archive says.
  const mode = 0o600 | (entry.mode & 0o100);
  await pipeline(entry.content, createWriteStream(file, { flags: 'wx', mode }), { signal });
}

async function checkDatabases(
  folder: string,
  manifest: BackupManifest,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const path of manifest.files.filter((name) => name.endsWith('.db'))) {
    const { state } = await checkIntegrity(join(folder, path), { signal });
    if (state === 'damaged') throw new HermesError(`its database ${path} is damaged.`);
  }
}

async function place(folder: string, target: string): Promise<{ kept: string | undefined }> {
  const present = await lstat(target).catch(() => undefined);
  const isEmpty = present?.isDirectory() === true && (await readdir(target)).length === 0;
  if (present === undefined || isEmpty) {
    if (isEmpty) await rm(target, { recursive: true });
    await rename(folder, target);
    return { kept: undefined };
  }
  const kept = `${target}.before-import-${timestampForFileName(Date.now())}`;
  await rename(target, kept);
  try {
    await rename(folder, target);
  } catch (thrown) {
    await rename(kept, target);
    throw thrown;
  }
  return { kept };
}
