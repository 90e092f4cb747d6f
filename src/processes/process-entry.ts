import type { BackgroundEnding, BackgroundProcess, ProcessRecord } from '../contracts/index.ts';

/** The stored description of a process in the process table file. */
export type StoredProcess = {
  id: string;
  sessionId: string;
  command: string;
  directory: string;
  pid: number;
  startedAt: number;
  pty: boolean;
  /** The location of the environment that the process runs in. */
  place: string;
  record: ProcessRecord;
  notifyOnComplete: boolean;
  ending: BackgroundEnding | undefined;
  /** A session was already notified of the process by a Hermes process that has no access to this location. */
  told?: boolean;
};

/** A row of the process table. */
export interface ProcessEntry extends BackgroundProcess {
  readonly sessionId: string;
  facts(): StoredProcess;
  /** Checks whether the process has exited if there is no exit event for it. */
  checkEnded(): Promise<void>;
}

/** The callbacks from an entry to the process table. */
export type EntryEvents = {
  onOutput(entry: ProcessEntry): void;
  onEnded(entry: ProcessEntry): void;
  onEndingRead(entry: ProcessEntry): void;
};
