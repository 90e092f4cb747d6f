import type { IntegrityReport } from './integrity.ts';
import type { RebuiltIndex } from './mend-index.ts';
import type { OptimizeReport } from './optimize.ts';
import type { RepairReport } from './repair.ts';
import { runInWorker } from './run-in-worker.ts';
import { removeUnfinished } from './unfinished-file.ts';

type Stoppable = {
  /** Ends the work; what it had not finished is as if it had not begun. */
  signal?: AbortSignal;
};

/** Looks through a whole file without changing it, which takes as long as reading it does. */
export function checkIntegrity(file: string, { signal }: Stoppable = {}): Promise<IntegrityReport> {
  return runInWorker('checkIntegrity', [file], signal);
}

/** Builds the search index of a file anew from its messages; the note is for the person. */
export function rebuildSearchIndex(file: string, { signal }: Stoppable = {}): Promise<RebuiltIndex> {
  return runInWorker('rebuildSearchIndex', [file], signal);
}

/** Brings the search up to all messages, and returns free space to the disk. */
export function optimizeDatabase(file: string, { signal }: Stoppable = {}): Promise<OptimizeReport> {
  return runInWorker('optimizeDatabase', [file], signal);
}

/** Copies a database as it is at one moment, while others go on with it. */
export function backUpDatabase(file: string, target: string, { signal }: Stoppable = {}): Promise<void> {
  return runInWorker('backUpDatabase', [file, target], signal);
}

/** Writes what can be read of a damaged file into a new one, which is there when it is whole. */
export async function repairDatabase(file: string, target: string, { signal }: Stoppable = {}): Promise<RepairReport> {
  try {
    return await runInWorker('repairDatabase', [file, target], signal);
  } finally {
    // A worker that was ended could not tidy up.
    removeUnfinished(target);
  }
}
