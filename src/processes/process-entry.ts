import type { BackgroundEnding, BackgroundProcess, ProcessRecord } from '../contracts/index.ts';

/** What of a process is written down. */
export type ProcessFacts = {
  id: string;
  sessionId: string;
  command: string;
  directory: string;
  pid: number;
  startedAt: number;
  pty: boolean;
  /** The place of the environment that knows it. */
  place: string;
  record: ProcessRecord;
  notifyOnComplete: boolean;
  ending: BackgroundEnding | undefined;
  /** A session was told of it by a program that could not look at its place. */
  told?: boolean;
};

/** A row of the table. */
export interface ProcessEntry extends BackgroundProcess {
  readonly sessionId: string;
  facts(): ProcessFacts;
  /** Brings the ending up to date, where nobody tells of it. */
  look(): Promise<void>;
}

/** What an entry tells the table. */
export type EntryEvents = {
  onOutput(entry: ProcessEntry): void;
  onEnded(entry: ProcessEntry): void;
  onEndingRead(entry: ProcessEntry): void;
};
