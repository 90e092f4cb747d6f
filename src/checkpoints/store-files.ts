import { accessSync, constants, lstatSync, type Stats } from 'node:fs';
import { copyFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { newId } from '../base/index.ts';
import { type BytePath, bytesOf, joinNul, type ListOptions, listFiles, splitNul } from './list-files.ts';
import type { StoreGit } from './store-git.ts';

/** Files added per git command. After a timeout, the files added so far remain in the index. */
const BATCH_SIZE = 2_000;
/** Files checked before yielding to the event loop. */
const YIELD_INTERVAL = 500;

export type StoreFilesOptions = ListOptions & { maxFileBytes: number; signal: AbortSignal };

export type StoredFiles = Omit<ChosenFiles, 'files'> & { tree: string };

/**
 * Stores the current files. Each run writes to its own index file, which replaces the shared one at the end: a git
 * process that outlived a killed Hermes may still be writing to its index.
 */
export async function storeFiles(options: StoreFilesOptions): Promise<StoredFiles> {
  const { place, git } = options;
  const { files, ...others } = await chooseFiles(place.directory, await listFiles(options), options);
  const indexFile = `${place.indexFile}.${newId('now')}`;
  await copyIndex(place.indexFile, indexFile);
  try {
    await update(git, indexFile, files).catch(async (thrown: unknown) => {
      await rename(indexFile, place.indexFile).catch(() => undefined);
      throw thrown;
    });
    const tree = (await git.runOrThrow(['write-tree'], { indexFile })).toString().trim();
    await rename(indexFile, place.indexFile);
    return { tree, ...others };
  } finally {
    await rm(indexFile, { force: true });
    await rm(`${indexFile}.lock`, { force: true });
  }
}

/**
 * Git reads a file again if it changed no earlier than the index was written, since its timestamp alone is not
 * conclusive. The copy must keep the timestamp of the original, or a second change within the same moment would be
 * missed.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(from);
    await copyFile(from, to);
    const second = Math.floor(mtimeMs / 1000);
    await utimes(to, second, second);
  } catch {
    // Without an index, git reads every file.
    await rm(to, { force: true });
  }
}

async function update(git: StoreGit, indexFile: string, files: readonly BytePath[]): Promise<void> {
  const known = await knownPaths(git, indexFile);
  const wanted = new Set(files);
  const gone = known.filter((path) => !wanted.has(path));
  if (gone.length > 0) {
    await git.runOrThrow(['update-index', '--force-remove', '-z', '--stdin'], { indexFile, input: joinNul(gone) });
  }
  for (let from = 0; from < files.length; from += BATCH_SIZE) {
    const input = joinNul(files.slice(from, from + BATCH_SIZE));
    await git.runOrThrow(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { indexFile, input });
  }
}

/** A corrupt index is discarded: it is only a cache. */
async function knownPaths(git: StoreGit, indexFile: string): Promise<BytePath[]> {
  const { code, output } = await git.run(['ls-files', '--cached', '-z'], { indexFile });
  if (code === 0) return splitNul(output);
  await rm(indexFile, { force: true });
  return [];
}

type ChosenFiles = {
  files: BytePath[];
  /** Files that are too large or not readable. */
  leftOut: BytePath[];
  /** Files readable only by their owner, a mode that git does not store. */
  ownOnly: BytePath[];
};

/** Selects which of the listed files are stored. */
async function chooseFiles(
  directory: string,
  listed: readonly BytePath[],
  options: { maxFileBytes: number; signal?: AbortSignal | undefined },
): Promise<ChosenFiles> {
  const chosen: ChosenFiles = { files: [], leftOut: [], ownOnly: [] };
  for (const [index, path] of listed.entries()) {
    if (index % YIELD_INTERVAL === YIELD_INTERVAL - 1) {
      await new Promise(setImmediate);
      options.signal?.throwIfAborted();
    }
    const file = pathIn(directory, path);
    const stats = statsOf(file);
    if (stats === undefined) continue;
    if (stats.size > options.maxFileBytes || !isReadable(file, stats)) chosen.leftOut.push(path);
    else chosen.files.push(path);
    if (stats.isFile() && (stats.mode & 0o077) === 0) chosen.ownOnly.push(path);
  }
  return chosen;
}

/** The path as bytes, because file names need not be valid text. */
export function pathIn(directory: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${directory}/`), bytesOf(path)]);
}

/** `lstat` of a path; undefined if it does not exist. */
export function statsOf(file: Buffer): Stats | undefined {
  try {
    return lstatSync(file);
  } catch {
    // Removed since it was listed, or permission denied.
    return undefined;
  }
}

function isReadable(file: Buffer, stats: Stats): boolean {
  if (!stats.isFile()) return stats.isSymbolicLink();
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
