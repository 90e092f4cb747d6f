import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isJsonObject, parseJson } from '../base/index.ts';
import { CheckpointsOff } from '../contracts/index.ts';
import { writeFileAtomic } from '../util/index.ts';
import type { StorePaths } from './store-paths.ts';

/** Automatic checkpoints are taken only in directories with at most this many files. */
export const AUTOMATIC_MAX_FILES = 2_000;
/** The first checkpoint stores all files, so it may take this long. */
export const AUTOMATIC_TIMEOUT_MS = 1_000;
/** Every later checkpoint should take less than this. */
export const AUTOMATIC_COST_MS = 50;
/** Slow checkpoints in a row after which they are turned off, because one may be an accident. */
const MAX_SLOW = 3;
/** How long they stay off; the directory may become smaller, or the machine faster. */
const OFF_MS = 7 * 24 * 60 * 60 * 1000;

type CostState = { slow: number; off?: { reason: string; until: number; reported: boolean } };

/** Decides for one directory whether automatic checkpoints are quick enough. The decision is stored with them. */
export interface CostWatch {
  /** Throws `CheckpointsOff` if they are off here; not silently the first time. */
  assertOn(): Promise<void>;
  /** Records the duration of a checkpoint. */
  add(milliseconds: number): Promise<void>;
  /** Turns them off, and returns the error to throw. */
  turnOff(reason: string): Promise<CheckpointsOff>;
}

export function createCostWatch(place: StorePaths, clock: Clock, costMs = AUTOMATIC_COST_MS): CostWatch {
  const file = join(place.folder, 'cost.json');
  const write = (state: CostState) => writeFileAtomic(file, JSON.stringify(state), { mode: 0o600 });
  const read = async (): Promise<CostState> => {
    const stored = parseJson(await readFile(file, 'utf8').catch(() => '{}'));
    return isJsonObject(stored) && typeof stored['slow'] === 'number' ? (stored as CostState) : { slow: 0 };
  };
  const offState = (reason: string, reported: boolean): CostState => ({
    slow: 0,
    off: { reason, until: clock.now() + OFF_MS, reported },
  });
  return {
    async assertOn() {
      const { off } = await read();
      if (off === undefined || off.until <= clock.now()) return;
      if (!off.reported) await write({ slow: 0, off: { ...off, reported: true } });
      throw new CheckpointsOff(off.reason, { silent: off.reported });
    },
    async add(milliseconds) {
      const isSlow = milliseconds > costMs;
      const before = await read();
      const slow = isSlow ? before.slow + 1 : 0;
      const reason = `taking one took ${Math.round(milliseconds)} ms (limit: ${costMs} ms)`;
      if (slow >= MAX_SLOW) await write(offState(reason, false));
      else if (slow !== before.slow || before.off !== undefined) await write({ slow });
    },
    async turnOff(reason) {
      await write(offState(reason, true));
      return new CheckpointsOff(reason, { silent: false });
    },
  };
}
