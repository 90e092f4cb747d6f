import type { Environment, OrphanedProcess, ProcessEnding, ProcessRecord } from './environment.ts';

/** The background processes of all sessions of one Hermes process. */
export interface ProcessTable {
  /** The processes that one session sees: its own and the recovered ones. */
  forSession(sessionId: string, environment: Environment): SessionProcesses;
  readonly notices: Notices;
  /** Finds processes that a killed Hermes process left running and notifies the session. Cheap if there are none. */
  recover(sessionId: string, environment: Environment): Promise<void>;
  /** Moves the processes of a session to the child that continues it. */
  continueSession(sessionId: string, childId: string): void;
  /** Releases the state of a closed session. Its running processes stay in the table. */
  forget(sessionId: string): void;
  /** Kills the started processes, unless they should keep running. Recovered processes keep running. */
  close(): Promise<void>;
}

export interface SessionProcesses {
  /** Rejects with `ProcessTableFull` if the maximum is reached. */
  start(request: BackgroundRequest): Promise<BackgroundProcess>;
  /** Oldest first. */
  list(): Promise<BackgroundProcess[]>;
  /** Adds an orphaned process to the table. Rejects like `start`; the process then keeps running outside the table. */
  adopt(command: ForegroundCommand, left: OrphanedProcess): Promise<BackgroundProcess>;
  /**
   * Records a foreground command, so that it can be found if Hermes is killed while it runs. Call the returned
   * function when it ends.
   */
  recordForeground(command: ForegroundCommand, record: ProcessRecord): Promise<() => void>;
}

/** A foreground command. */
export type ForegroundCommand = { command: string; workingDirectory: string };

export type BackgroundRequest = {
  command: string;
  workingDirectory: string;
  pty?: { columns: number; rows: number } | undefined;
  /** Runs outside the sandbox. */
  outsideSandbox?: boolean;
  /** Notifies the session once when the process ends, unless the session has already read the result. */
  notifyOnComplete?: boolean;
  /** Notifies the session about lines that contain one of these texts; `/…/` is a regular expression. */
  watchPatterns?: readonly string[];
};

/** A command that runs in the background of a session. */
export interface BackgroundProcess {
  readonly id: string;
  readonly command: string;
  readonly directory: string;
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly pty: boolean;
  /** The environment location, which differs from that of the session for a command outside the sandbox. */
  readonly place: string;
  /** A recovered process: its stdin and its new output cannot be reached. */
  readonly recovered: boolean;
  readonly output: ProcessOutput;
  /** The unfinished input line: everything sent since the last newline. Approvals judge it together with new input. */
  readonly openLine: string;
  /** Undefined while it is running. */
  ending(): BackgroundEnding | undefined;
  /** Resolves when it has ended; rejects when the signal is aborted. */
  untilEnded(signal: AbortSignal): Promise<void>;
  write(data: string): Promise<void>;
  closeInput(): void;
  /** Kills its process tree. Returns true if nothing is left. */
  kill(): Promise<boolean>;
  /** Records that the session has read the exit status of the process, so that no notice is needed. */
  markEndingRead(): void;
}

export type BackgroundEnding = ProcessEnding & { endedAt: number };

/** The last part of the output of a process, without escape sequences. */
export interface ProcessOutput {
  text(): string;
  /** Number of lines dropped before the kept ones, so that lines can be numbered from the first line of the output. */
  droppedLines(): number;
  /** The output since the last call, and how many characters of it were dropped. */
  readNew(): { text: string; dropped: number };
}

/** Notices for sessions. */
export interface Notices {
  /**
   * Delivers all waiting notices of a session as one text. If `deliver` throws they wait again; delivered ones are
   * never repeated.
   */
  deliver(sessionId: string, deliver: (text: string | undefined) => Promise<void>): Promise<string | undefined>;
}

/** Thrown if the maximum number of processes is running. */
export class ProcessTableFull extends Error {}
