import { createReadStream, type Dirent } from 'node:fs';
import { mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ConfigurationError } from '../../base/index.ts';
import { backUpDatabase, isDatabaseFile } from '../../store/sqlite/index.ts';
import { fileErrorReason } from '../../util/index.ts';
import { type BackupManifest, MANIFEST_NAME } from './manifest.ts';
import { type TarFile, writeTar } from '../../util/tar/index.ts';

export type BackupOptions = { home: string; target: string; quick: boolean; version: string; signal?: AbortSignal };
/** `links` lists symbolic links whose targets are not included: links to directories, and links below the top level. */
export type BackupReport = { file: string; files: number; bytes: number; links: readonly string[] };

/** Writes a home directory to one private file, which appears only when it is complete. Never overwrites a file. */
export async function writeBackup(options: BackupOptions): Promise<BackupReport> {
  const target = resolve(options.target);
  const unfinished = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  const chosen = await chooseFiles(options.home, options);
  const files = chosen.files.filter(({ path }) => join(options.home, path) !== target);
  // The copies are made next to the archive: there must be enough space there, and it is outside the home directory.
  const copies = await mkdtemp(join(dirname(target), '.hermes-backup-')).catch((thrown: unknown) => {
    throw new ConfigurationError(`Cannot write ${target}: ${explainWriteError(thrown, dirname(target))}.`, {
      hint: 'Pass a file in an existing directory that you can write to, for example -o ~/hermes-backup.tar.gz.',
    });
  });
  try {
    const out = await open(unfinished, 'wx', 0o600);
    await pipeline(writeTar(entries(options, files, copies)), createGzip(), out.createWriteStream(), {
      signal: options.signal,
    });
    await moveIntoPlace(unfinished, target);
    return { file: target, files: files.length, bytes: (await stat(target)).size, links: chosen.links };
  } finally {
    await rm(unfinished, { force: true });
    await rm(copies, { recursive: true, force: true });
  }
}

function explainWriteError(thrown: unknown, folder: string): string {
  const isMissing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
  return isMissing ? `the directory ${folder} does not exist` : fileErrorReason(thrown);
}

async function* entries(options: BackupOptions, files: readonly HomeFile[], copies: string): AsyncGenerator<TarFile> {
  const manifest: BackupManifest = {
    format: 1,
    version: options.version,
    createdAt: new Date().toISOString(),
    quick: options.quick,
    files: files.map(({ path }) => path),
  };
  yield textFile(MANIFEST_NAME, `${JSON.stringify(manifest, undefined, 2)}\n`);
  for (const [index, { path, isDatabase }] of files.entries()) {
    const file = join(options.home, path);
    // The extension is not proof: a file that SQLite does not recognise is copied as it is.
    if (!isDatabase || !(await isDatabaseFile(file))) {
      yield await diskFile(path, file);
      continue;
    }
    const copy = join(copies, `${index}.db`);
    await backUpDatabase(file, copy, { signal: options.signal });
    yield await diskFile(path, copy);
    await rm(copy);
  }
}

async function diskFile(path: string, file: string): Promise<TarFile> {
  // A file deleted in the meantime is stored empty, because the manifest already lists it.
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return textFile(path, '');
  const { size, mode, mtimeMs } = found;
  return { path, size, mode, modifiedAt: mtimeMs, content: createReadStream(file) };
}

function textFile(path: string, text: string): TarFile {
  const bytes = Buffer.from(text);
  async function* content() {
    yield bytes;
  }
  return { path, size: bytes.length, mode: 0o600, modifiedAt: Date.now(), content: content() };
}

async function moveIntoPlace(unfinished: string, target: string): Promise<void> {
  if ((await stat(target).catch(() => undefined)) !== undefined) {
    throw new ConfigurationError(`${target} already exists and was not overwritten.`, {
      hint: 'Choose another name with -o, or move the file away.',
    });
  }
  await rename(unfinished, target);
}

/** Directories that can be recreated or belong to running processes. */
const EXCLUDED = ['cache', 'processes', 'quarantine', 'node_modules', 'checkpoints', 'worktrees'];
/** Directories that a quick backup omits: large, and not written by the user. */
const EXCLUDED_FROM_QUICK = ['logs', 'trash'];

type HomeFile = { path: string; isDatabase: boolean };

export type ChosenFiles = { files: HomeFile[]; links: string[] };

/**
 * Selects the files of a backup by their relative paths, databases first so that everything they refer to is copied
 * after them, and the links whose targets are not included.
 */
export async function chooseFiles(home: string, options: { quick: boolean }): Promise<ChosenFiles> {
  const found = await walk(home, '', options.quick);
  const files = found.filter((one) => 'isDatabase' in one);
  return {
    files: files.toSorted((a, b) => Number(b.isDatabase) - Number(a.isDatabase) || (a.path < b.path ? -1 : 1)),
    links: found.flatMap((one) => ('link' in one ? [one.link] : [])).toSorted(),
  };
}

type Found = HomeFile | { link: string };

async function walk(home: string, below: string, quick: boolean): Promise<Found[]> {
  const listed = await readdir(join(home, below), { withFileTypes: true });
  const found = await Promise.all(
    listed.map(async (entry): Promise<Found[]> => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (isExcluded(entry, below, quick)) return [];
      if (entry.isDirectory()) return walk(home, path, quick);
      const isOurs = entry.isFile() || (isHomeRoot(below) && (await linksToFile(join(home, path))));
      if (isOurs) return [{ path, isDatabase: entry.name.endsWith('.db') }];
      return entry.isSymbolicLink() ? [{ link: path }] : [];
    }),
  );
  return found.flat();
}

/**
 * Users who keep settings elsewhere have links to them at the top of the home directory. Links further down could
 * lead anywhere.
 */
async function linksToFile(path: string): Promise<boolean> {
  return stat(path).then(
    (target) => target.isFile(),
    () => false,
  );
}

/** Each profile is a home directory of its own. */
function isHomeRoot(below: string): boolean {
  return below === '' || /^profiles\/[^/]+$/.test(below);
}

function isExcluded(entry: Dirent, below: string, quick: boolean): boolean {
  if (entry.isDirectory()) {
    const isAttachments = entry.name.endsWith('.db.blobs');
    return (
      isHomeRoot(below) &&
      (EXCLUDED.includes(entry.name) || (quick && (EXCLUDED_FROM_QUICK.includes(entry.name) || isAttachments)))
    );
  }
  // The copy that SQLite makes already includes the journal; lock and temporary files belong to a process.
  return /\.db-(?:wal|shm|journal)$|\.lock$|\.tmp$/.test(entry.name);
}
