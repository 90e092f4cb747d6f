/** The state of a directory's files at a moment, kept so that they can be had back. */
export type CheckpointRecord = {
  /** Stays the same for as long as the checkpoint is kept. */
  number: number;
  /** Milliseconds since 1970. */
  takenAt: number;
  /** Before what it was taken. */
  reason: string;
  sessionId?: string;
  /** Files that are too large or cannot be read, and so are not in it. */
  leftOut: number;
};

export type FileChange = { path: string; change: 'added' | 'changed' | 'deleted' };

/** What has happened to the files since a checkpoint. */
export type CheckpointDiff = {
  changes: readonly FileChange[];
  /** As a unified diff. */
  text: string;
  /** The text is longer than what is shown of it. */
  cut: boolean;
};

/** What going back to a checkpoint did. */
export type RestoreReport = {
  /** The checkpoint that was taken before, to get back from here. */
  before: number;
  written: readonly string[];
  removed: readonly string[];
  /** What would have had to be changed and was not, because no checkpoint has it. */
  kept: readonly { path: string; why: string }[];
};

export type CheckpointPaths = {
  /** Only these files and folders, relative to the directory or absolute. */
  paths?: readonly string[];
};

/** The checkpoints of one directory. What goes wrong is thrown as a `HermesError`. */
export interface Checkpoints {
  readonly directory: string;
  /** Newest first. */
  list(filter?: { sessionId?: string }): Promise<CheckpointRecord[]>;
  /** Keeps the files as they are now; where nothing has changed since the newest one, that one is given back. */
  take(reason: string, options?: { sessionId?: string; signal?: AbortSignal }): Promise<CheckpointRecord>;
  diff(number: number, options?: CheckpointPaths): Promise<CheckpointDiff>;
  /** Puts the files back as they were; keeps what they are now in a checkpoint first. */
  restore(number: number, options?: CheckpointPaths & { sessionId?: string }): Promise<RestoreReport>;
  /** Drops what is beyond the limits. */
  prune(signal?: AbortSignal): Promise<void>;
}
