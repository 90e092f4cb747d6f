import type { Environment, LeftProcess, ProcessEnding, ProcessRecord } from './environment.ts';

/** The background processes of all sessions of a program. */
export interface ProcessTable {
  /** What one session sees: its own, and those that were found again. */
  forSession(sessionId: string, environment: Environment): SessionProcesses;
  readonly notices: Notices;
  /** Looks for what a killed program left running, and tells the session about it. Costs nothing where there is none. */
  recover(sessionId: string, environment: Environment): Promise<void>;
  /** A session goes on as its child, and its processes with it. */
  continueSession(sessionId: string, childId: string): void;
  /** Releases what is kept for a session that is closed. Processes of it that still run stay in the table. */
  forget(sessionId: string): void;
  /** Ends what was started, unless it is to be kept. What was found again goes on. */
  close(): Promise<void>;
}

export interface SessionProcesses {
  /** Rejects with a `ProcessTableFull` where no more can run. */
  start(request: BackgroundRequest): Promise<BackgroundProcess>;
  /** Oldest first. */
  list(): Promise<BackgroundProcess[]>;
  /** Takes in what a command left running. Rejects as `start` does; it then goes on outside of the table. */
  adopt(command: WaitedCommand, left: LeftProcess): Promise<BackgroundProcess>;
  /**
   * Writes down a command that somebody waits for, so that it is found if this program is killed meanwhile. What it
   * returns is called at the end.
   */
  noteWaited(command: WaitedCommand, record: ProcessRecord): Promise<() => void>;
}

/** A command in the foreground. */
export type WaitedCommand = { command: string; workingDirectory: string };

export type BackgroundRequest = {
  command: string;
  workingDirectory: string;
  pty?: { columns: number; rows: number } | undefined;
  /** Tells the session once when it has ended, unless the session has read it by then. */
  notifyOnComplete?: boolean;
  /** Tells the session of lines with such a text; `/…/` is a regular expression. */
  watchPatterns?: readonly string[];
};

/** A command that runs beside the turns of a session. */
export interface BackgroundProcess {
  readonly id: string;
  readonly command: string;
  readonly directory: string;
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly pty: boolean;
  /** A killed program left it running: what it reads and what it prints from now on is out of reach. */
  readonly found: boolean;
  readonly output: ProcessOutput;
  /** What it was given since its last line end, for whoever judges what it is given. */
  readonly openLine: string;
  /** Undefined while it runs. */
  ending(): BackgroundEnding | undefined;
  /** Resolves when it has ended, rejects when the signal is aborted. */
  untilEnded(signal: AbortSignal): Promise<void>;
  write(data: string): Promise<void>;
  closeInput(): void;
  /** Ends it and everything it started. True if nothing of it is left. */
  kill(): Promise<boolean>;
  /** The session has read how it ended: there is nothing left to tell. */
  noteEndingRead(): void;
}

export type BackgroundEnding = ProcessEnding & { endedAt: number };

/** The last part of what a process printed, escape sequences removed. */
export interface ProcessOutput {
  text(): string;
  /** Lines that were printed before those kept; lines are counted from the very first. */
  droppedLines(): number;
  /** What came since the last time, and how many characters of it were dropped. */
  takeNew(): { text: string; dropped: number };
}

/** What the program itself has to tell a session. */
export interface Notices {
  /**
   * Hands over all that waits for a session, as one text. What could not be delivered waits again, and what was
   * delivered is never told twice.
   */
  deliver(sessionId: string, deliver: (text: string | undefined) => Promise<void>): Promise<string | undefined>;
}

/** As many processes run as may run. */
export class ProcessTableFull extends Error {}
