import { join } from 'node:path';

/** The files of a run. What a reader wants lies in the folder itself, what the run needs for itself in `run/`. */
export type RunPaths = {
  folder: string;
  /** All kept samples, in the order of the prompts. */
  trajectories: string;
  failed: string;
  statistics: string;
  /** `batch_001_output.jsonl`, … */
  part(number: number): string;
  /** Sessions, log and spill files, laid out like a home. */
  data: string;
  manifest: string;
  keys: string;
  dropped: string;
  lock: string;
  /** Where a prompt works that names no place itself. */
  workspace(index: number): string;
};

const PART = /^batch_(\d+)_output\.jsonl$/;
const PART_DIGITS = 3;

export function runPaths(folder: string): RunPaths {
  const data = join(folder, 'run');
  return {
    folder,
    trajectories: join(folder, 'trajectories.jsonl'),
    failed: join(folder, 'failed.jsonl'),
    statistics: join(folder, 'statistics.json'),
    part: (number) => join(folder, `batch_${String(number).padStart(PART_DIGITS, '0')}_output.jsonl`),
    data,
    manifest: join(data, 'run.json'),
    keys: join(data, 'prompts.txt'),
    dropped: join(data, 'dropped.jsonl'),
    lock: join(data, 'run.lock'),
    workspace: (index) => join(data, 'work', String(index)),
  };
}

/** Which part a file of the folder is; undefined for any other file. */
export function partNumber(name: string): number | undefined {
  const found = PART.exec(name)?.[1];
  return found === undefined ? undefined : Number(found);
}
