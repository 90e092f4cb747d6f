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
/** `links` lead to folders, or out of the home from below its top: what they lead to is not in it. */
export type BackupReport = { file: string; files: number; bytes: number; links: readonly string[] };

/** Writes a home into one private file, which is there when it is whole. Nothing that is there already is replaced. */
export async function writeBackup(options: BackupOptions): Promise<BackupReport> {
  const target = resolve(options.target);
  const unfinished = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  const chosen = await chooseFiles(options.home, options);
  const files = chosen.files.filter(({ path }) => join(options.home, path) !== target);
  // Beside the archive, where there is room for it; never among the files of the home.
  const copies = await mkdtemp(join(dirname(target), '.hermes-backup-')).catch((thrown: unknown) => {
    throw new ConfigurationError(`${target} cannot be written: ${fileErrorReason(thrown)}.`, {
      hint: 'Choose a folder that is there and that you may write, with -o.',
    });
  });
  try {
    const out = await open(unfinished, 'wx', 0o600);
    await pipeline(writeTar(entries(options, files, copies)), createGzip(), out.createWriteStream(), {
      signal: options.signal,
    });
    await placeNew(unfinished, target);
    return { file: target, files: files.length, bytes: (await stat(target)).size, links: chosen.links };
  } finally {
    await rm(unfinished, { force: true });
    await rm(copies, { recursive: true, force: true });
  }
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
    // A name says little: what SQLite does not take for its own is a file like any other.
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
  // One that was deleted meanwhile is an empty one: the list that went before has its name.
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

async function placeNew(unfinished: string, target: string): Promise<void> {
  if ((await stat(target).catch(() => undefined)) !== undefined) {
    throw new ConfigurationError(`${target} is there already; it was left as it is.`, {
      hint: 'Give another name with -o, or move it aside.',
    });
  }
  await rename(unfinished, target);
}

/** What can be had again, or belongs to processes that run now. */
const NEVER = ['cache', 'processes', 'quarantine', 'node_modules', 'checkpoints', 'worktrees'];
/** What a quick backup leaves out: large, and nothing that anybody wrote. */
const NOT_QUICKLY = ['logs', 'trash'];

type HomeFile = { path: string; isDatabase: boolean };

export type ChosenFiles = { files: HomeFile[]; links: string[] };

/**
 * The files of a home that a backup has, by their paths in it, databases first: what they refer to is there already; and
 * the links whose targets it does not have.
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
      if (isLeftOut(entry, below, quick)) return [];
      if (entry.isDirectory()) return walk(home, path, quick);
      const isOurs = entry.isFile() || (isTop(below) && (await leadsToFile(join(home, path))));
      if (isOurs) return [{ path, isDatabase: entry.name.endsWith('.db') }];
      return entry.isSymbolicLink() ? [{ link: path }] : [];
    }),
  );
  return found.flat();
}

/** Who keeps settings in a folder of their own has links to them in the home. Further down a link could lead anywhere. */
async function leadsToFile(path: string): Promise<boolean> {
  return stat(path).then(
    (target) => target.isFile(),
    () => false,
  );
}

/** Each profile is a home of its own. */
function isTop(below: string): boolean {
  return below === '' || /^profiles\/[^/]+$/.test(below);
}

function isLeftOut(entry: Dirent, below: string, quick: boolean): boolean {
  if (entry.isDirectory()) {
    const isAttachments = entry.name.endsWith('.db.blobs');
    return (
      isTop(below) && (NEVER.includes(entry.name) || (quick && (NOT_QUICKLY.includes(entry.name) || isAttachments)))
    );
  }
  // A log of a database is part of the copy that SQLite makes; locks and half-written files belong to a process.
  return /\.db-(?:wal|shm|journal)$|\.lock$|\.tmp$/.test(entry.name);
}
