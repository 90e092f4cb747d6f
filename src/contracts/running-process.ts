/** How a command is started that is not waited for. */
export type StartOptions = {
  workingDirectory?: string | undefined;
  /** A terminal of this size instead of pipes; the process then has one stream and echoes what it is sent. */
  pty?: { columns: number; rows: number } | undefined;
  /** Killed when this program leaves in whatever way it can notice. */
  endWithProgram?: boolean;
};

/** A command that runs by itself, with everything it starts. */
export interface RunningProcess {
  readonly pid: number;
  /** What it takes to find it again; plain data, to be stored. */
  readonly record: ProcessRecord;
  /**
   * Text of both streams as it comes, escape sequences and all; several listeners may listen. What was printed before
   * the first one is given to it at once. Returns what stops the listening.
   */
  onOutput(listener: (text: string) => void): () => void;
  /** Resolves when the process was given it; rejects when it does not read any more. */
  write(data: string | Uint8Array): Promise<void>;
  /** It reads the end of its input; in a terminal that is Ctrl-D. */
  closeInput(): void;
  /** Only with a terminal. */
  resize?(columns: number, rows: number): void;
  /** Ends it and everything it started: SIGTERM, and after a grace SIGKILL. True if nothing of it is left. */
  kill(): Promise<boolean>;
  /** Settles when the command has ended and its output is there; never rejects. */
  readonly ended: Promise<ProcessEnding>;
}

export type ProcessEnding = {
  /** Undefined where a signal ended it, or nobody can tell. */
  exitCode: number | undefined;
  signalName: string | undefined;
};

/** A number alone may belong to another process by now, so the time of its start and a mark of ours go with it. */
export type ProcessRecord = {
  pid: number;
  /** As its machine tells it; only good for comparing. */
  startTime: string;
  /** In the environment of the process and of all it starts. */
  mark: string;
};

/** What a command that has ended left running, of which nobody said that it is to go on. */
export interface LeftProcess extends FoundProcess {
  readonly record: ProcessRecord;
  /** Its processes, beginning with the one that has its number. */
  readonly members: readonly { pid: number; command: string }[];
  /** What it prints from now on. */
  onOutput(listener: (text: string) => void): () => void;
  /** Has it killed when this program leaves in whatever way it can notice. */
  endWithProgram(): void;
}

/** A process that is not a child of this program: it can be looked at and ended, its output is lost. */
export interface FoundProcess {
  readonly pid: number;
  isRunning(): Promise<boolean>;
  kill(): Promise<boolean>;
}
