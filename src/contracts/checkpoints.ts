import { HermesError } from '../base/index.ts';

/** Automatic checkpoints are off in a directory, because they would take too long. */
export class CheckpointsOff extends HermesError {
  /** Whether the user already knows. */
  readonly silent: boolean;

  constructor(reason: string, { silent }: { silent: boolean }) {
    super(`Checkpoints are off in this directory: ${reason}.`, {
      hint: 'Turn them on with --checkpoints or checkpoints.enabled: true.',
    });
    this.silent = silent;
  }
}

/** A checkpoint: the saved files of a directory at one moment. */
export type CheckpointRecord = {
  /** Constant for the life of the checkpoint. */
  number: number;
  /** Milliseconds since 1970. */
  takenAt: number;
  /** The tool call before which it was taken. */
  reason: string;
  sessionId?: string;
  /** Number of skipped files: too large or unreadable. */
  leftOut: number;
};

export type FileChange = { path: string; change: 'added' | 'changed' | 'deleted' };

/** Changes of the files since a checkpoint. */
export type CheckpointDiff = {
  changes: readonly FileChange[];
  /** As a unified diff. */
  text: string;
  /** Whether the text was truncated. */
  cut: boolean;
};

/** The result of a rollback. */
export type RestoreReport = {
  /** The checkpoint taken before the rollback, to revert it. */
  before: number;
  written: readonly string[];
  removed: readonly string[];
  /** Files that could not be restored because no checkpoint contains them. */
  kept: readonly { path: string; why: string }[];
};

export type CheckpointPaths = {
  /** Only these files and folders, relative to the directory or absolute. */
  paths?: readonly string[];
};

/** The checkpoints of one directory. Errors are `HermesError`. */
export interface Checkpoints {
  readonly directory: string;
  /** Newest first. */
  list(filter?: { sessionId?: string }): Promise<CheckpointRecord[]>;
  /**
   * Saves the current files. If nothing changed since the newest checkpoint, that one is returned. With `automatic`,
   * `CheckpointsOff` is thrown in a directory where this takes too long.
   */
  take(
    reason: string,
    options?: { sessionId?: string; signal?: AbortSignal; automatic?: boolean },
  ): Promise<CheckpointRecord>;
  diff(number: number, options?: CheckpointPaths): Promise<CheckpointDiff>;
  /** Restores the files. Their current state is saved in a checkpoint first. */
  restore(number: number, options?: CheckpointPaths & { sessionId?: string }): Promise<RestoreReport>;
  /** Deletes checkpoints beyond the limits. */
  prune(signal?: AbortSignal): Promise<void>;
}
