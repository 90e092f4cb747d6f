import { statSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isJsonObject, parseJson } from '../base/index.ts';
import { withFileLock } from '../util/index.ts';
import { dropRecords, readRecords } from './records.ts';
import type { StoreGit } from './store-git.ts';
import { storePathsIn, type StorePaths } from './store-paths.ts';

/** The checkpoints of a directory are deleted after this time without use. */
const MAX_UNUSED_MS = 30 * 24 * 60 * 60 * 1000;
const LOCK_TIMEOUT_MS = 200;
/** Files measured before yielding to the event loop. */
const YIELD_INTERVAL = 500;
/** Number of loose objects from which packing pays off. */
const MANY_OBJECTS = 3_000;

/** The stored checkpoints of one directory. */
export type CheckpointedDirectory = { paths: StorePaths; bytes: number; usedAt: number };

/** All directories that have checkpoints, least recently used first. */
export async function listDirectories(folder: string): Promise<CheckpointedDirectory[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(names.map((name) => readDirectory(join(folder, name))));
  return found.filter((kept) => kept !== undefined).toSorted((a, b) => a.usedAt - b.usedAt);
}

async function readDirectory(own: string): Promise<CheckpointedDirectory | undefined> {
  try {
    const { aboutFile } = storePathsIn(own, '');
    const about = parseJson(await readFile(aboutFile, 'utf8'));
    const directory = isJsonObject(about) ? about['directory'] : undefined;
    if (typeof directory !== 'string') return undefined;
    return { paths: storePathsIn(own, directory), bytes: await sizeOf(own), usedAt: (await stat(aboutFile)).mtimeMs };
  } catch {
    // Not a checkpoint store, or one that is being created or removed.
    return undefined;
  }
}

/** Size in bytes. Files that disappear in the meantime are not counted. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  let bytes = 0;
  for (const [index, entry] of entries.entries()) {
    if (index % YIELD_INTERVAL === YIELD_INTERVAL - 1) await new Promise(setImmediate);
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

/**
 * Deletes the checkpoints of other directories: first those unused for long, then the least recently used ones until
 * the total size is within the limit. Returns the number of bytes left for this directory.
 */
async function freeSpace(options: {
  folder: string;
  own: StorePaths;
  maxTotalBytes: number;
  now: number;
}): Promise<number> {
  const { folder, own, maxTotalBytes, now } = options;
  const others = (await listDirectories(folder)).filter(({ paths: storePaths }) => storePaths.folder !== own.folder);
  let taken = others.reduce((sum, { bytes }) => sum + bytes, 0);
  const ownBytes = await sizeOf(own.folder);
  for (const { paths: storePaths, bytes, usedAt } of others) {
    const isOver = taken + ownBytes > maxTotalBytes;
    if (!isOver && now - usedAt < MAX_UNUSED_MS) continue;
    if (await removeDirectory(storePaths)) taken -= bytes;
  }
  return maxTotalBytes - taken;
}

/** Returns false if another process is using the store. */
export async function removeDirectory(paths: StorePaths): Promise<boolean> {
  try {
    await withFileLock(
      paths.lockFile,
      async () => {
        // Removed first, so that a half-removed store is not mistaken for a complete one.
        await rm(paths.aboutFile, { force: true });
        await rm(paths.store, { recursive: true, force: true });
        await rm(paths.folder, { recursive: true, force: true });
      },
      { timeoutMs: LOCK_TIMEOUT_MS },
    );
    return true;
  } catch {
    return false;
  }
}

type PruneOptions = {
  folder: string;
  place: StorePaths;
  git: StoreGit;
  maxCheckpoints: number;
  maxTotalBytes: number;
  clock: Clock;
};

/**
 * Keeps a store within its limits. The caller holds the store's lock, so no other process writes objects, and
 * unreferenced objects can be removed immediately. It can be interrupted at any time and continues on the next call.
 */
export async function pruneStore(options: PruneOptions): Promise<void> {
  const { place, git, maxCheckpoints, clock } = options;
  const records = await readRecords(git);
  const surplus = records.slice(maxCheckpoints);
  await dropRecords(git, surplus);
  const room = await freeSpace({ ...options, own: place, now: clock.now() });
  const isOver = async () => (await sizeOf(place.folder)) > room;
  if (await isOver()) await pack(git);
  // Without delta compression, which takes ten times as long and is used only when space is needed.
  else if ((await countObjects(git)) > MANY_OBJECTS) await git.runOrThrow(['repack', '-d', '-q', '--window=0']);
  // Removes the older half of the checkpoints until the store is within its limit; the newest one is never removed.
  for (let kept = records.slice(0, maxCheckpoints); kept.length > 1 && (await isOver()); ) {
    const half = Math.ceil(kept.length / 2);
    await dropRecords(git, kept.slice(half));
    kept = kept.slice(0, half);
    await pack(git);
  }
}

async function pack(git: StoreGit): Promise<void> {
  await git.runOrThrow(['pack-refs', '--all']);
  await git.runOrThrow(['repack', '-a', '-d', '-q', '--no-write-bitmap-index']);
  await git.runOrThrow(['prune', '--expire=now']);
}

async function countObjects(git: StoreGit): Promise<number> {
  return Number.parseInt((await git.runOrThrow(['count-objects'])).toString(), 10);
}
