import { statSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '../base/index.ts';
import { withFileLock } from '../util/index.ts';
import { placeIn, type StorePlace } from './store-place.ts';

/** A directory that nobody has worked in for so long loses its checkpoints. */
const REST_MS = 30 * 24 * 60 * 60 * 1000;
const LOCK_PATIENCE_MS = 200;
/** So many files are measured before others get a turn. */
const AT_A_TIME = 500;

/** The checkpoints of one directory, as they lie on the disk. */
export type KeptDirectory = { place: StorePlace; bytes: number; usedAt: number };

/** All directories that have checkpoints, those that were used longest ago first. */
export async function listDirectories(folder: string): Promise<KeptDirectory[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(names.map((name) => readDirectory(join(folder, name))));
  return found.filter((kept) => kept !== undefined).toSorted((a, b) => a.usedAt - b.usedAt);
}

async function readDirectory(own: string): Promise<KeptDirectory | undefined> {
  try {
    const { aboutFile } = placeIn(own, '');
    const about = parseJson(await readFile(aboutFile, 'utf8'));
    const directory = isJsonObject(about) ? about['directory'] : undefined;
    if (typeof directory !== 'string') return undefined;
    return { place: placeIn(own, directory), bytes: await sizeOf(own), usedAt: (await stat(aboutFile)).mtimeMs };
  } catch {
    // Not one of ours, or being made or removed right now.
    return undefined;
  }
}

/** In bytes; what vanishes meanwhile does not count. */
export async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  let bytes = 0;
  for (const [index, entry] of entries.entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) await new Promise(setImmediate);
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

/**
 * Drops the checkpoints of other directories: those that rest for long, then, as long as all together take too much,
 * those that were used longest ago. What is left to the own directory, in bytes.
 */
export async function makeRoom(options: {
  folder: string;
  own: StorePlace;
  maxTotalBytes: number;
  now: number;
}): Promise<number> {
  const { folder, own, maxTotalBytes, now } = options;
  const others = (await listDirectories(folder)).filter(({ place }) => place.folder !== own.folder);
  let taken = others.reduce((sum, { bytes }) => sum + bytes, 0);
  const ownBytes = await sizeOf(own.folder);
  for (const { place, bytes, usedAt } of others) {
    const isOver = taken + ownBytes > maxTotalBytes;
    if (!isOver && now - usedAt < REST_MS) continue;
    if (await removeDirectory(place)) taken -= bytes;
  }
  return maxTotalBytes - taken;
}

/** False where another process works on it. */
export async function removeDirectory(place: StorePlace): Promise<boolean> {
  try {
    await withFileLock(
      place.lockFile,
      async () => {
        // First, so that a store that is half removed is not taken for a whole one.
        await rm(place.aboutFile, { force: true });
        await rm(place.store, { recursive: true, force: true });
        await rm(place.folder, { recursive: true, force: true });
      },
      { timeoutMs: LOCK_PATIENCE_MS },
    );
    return true;
  } catch {
    return false;
  }
}
