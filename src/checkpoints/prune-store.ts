import type { Clock } from '../base/index.ts';
import { makeRoom, sizeOf } from './limits.ts';
import { dropRecords, readRecords } from './records.ts';
import type { StoreGit } from './store-git.ts';
import type { StorePlace } from './store-place.ts';

export type PruneOptions = {
  folder: string;
  place: StorePlace;
  git: StoreGit;
  maxCheckpoints: number;
  maxTotalBytes: number;
  clock: Clock;
};

/** Single objects from which on packing is worth its time. */
const MANY_OBJECTS = 3_000;

/**
 * Keeps a store within its limits. Called under its lock: nobody else writes objects that no checkpoint names yet, so
 * what none names can go at once. It may be ended at any moment and goes on the next time.
 */
export async function pruneStore(options: PruneOptions): Promise<void> {
  const { place, git, maxCheckpoints, clock } = options;
  const records = await readRecords(git);
  const surplus = records.slice(maxCheckpoints);
  await dropRecords(git, surplus);
  const room = await makeRoom({ ...options, own: place, now: clock.now() });
  const isOver = async () => (await sizeOf(place.folder)) > room;
  if (await isOver()) await pack(git);
  // Only put together: looking for what is alike takes ten times as long, and is done where the room is needed.
  else if ((await countObjects(git)) > MANY_OBJECTS) await git.ask(['repack', '-d', '-q', '--window=0']);
  // Half of them at a time, oldest first; the newest stays, whatever it takes.
  for (let kept = records.slice(0, maxCheckpoints); kept.length > 1 && (await isOver()); ) {
    const half = Math.ceil(kept.length / 2);
    await dropRecords(git, kept.slice(half));
    kept = kept.slice(0, half);
    await pack(git);
  }
}

async function pack(git: StoreGit): Promise<void> {
  await git.ask(['pack-refs', '--all']);
  await git.ask(['repack', '-a', '-d', '-q', '--no-write-bitmap-index']);
  await git.ask(['prune', '--expire=now']);
}

async function countObjects(git: StoreGit): Promise<number> {
  return Number.parseInt((await git.ask(['count-objects'])).toString(), 10);
}
