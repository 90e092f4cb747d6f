/** Where commands run and files live. File tools and the terminal share one, so they see the same machine. */
export interface Environment {
  readonly name: string;
  /** Which machine, and how it is reached: a process that was started in one place is found again only there. */
  readonly place: string;
  /** The directory it began in. */
  readonly workingDirectory: string;
  /** The program that reads the commands, as a path: what a command may use depends on it. */
  readonly shell: string;
  /** What kind of system commands meet, in words for the model. */
  readonly system: string;
  /** Nothing of the person's own machine can be reached or changed from in here, so nothing in here needs approval. */
  readonly isolated: boolean;
  /** Where the last command went with `cd`, at first the working directory. Relative paths of files start here too. */
  currentDirectory(): string;
  /**
   * Runs a command in a new shell that goes on where the last one ended: variables it exported, functions, aliases,
   * shell options and the directory. A command that was stopped, or that a signal ended, leaves all that as it was.
   */
  run(command: string, options: CommandOptions): Promise<CommandResult>;
  /**
   * Starts a command and lets it run, with what the last command left behind; nothing of it is carried on. It goes on
   * when the program leaves, unless the options say otherwise.
   */
  start(command: string, options?: StartOptions): Promise<RunningProcess>;
  /** A process that was started earlier, perhaps by a program that was killed. Undefined if it is gone. */
  findProcess(record: ProcessRecord): Promise<FoundProcess | undefined>;
  /**
   * Reads a regular file, or a part of it; less than was asked for where the file ends. Anything else, such as a
   * directory, a FIFO or a device, is refused without being opened for longer than it takes to tell.
   */
  readFile(path: string, part?: FilePart): Promise<Uint8Array>;
  /**
   * Replaces the file in one step: a reader sees the old or the new content, never a half. Makes missing folders, keeps
   * the permissions of a file that is there, and writes through links. Refused where something else has the name.
   */
  writeFile(path: string, content: Uint8Array | string): Promise<void>;
  /** Removes a file; of a link the link itself, never what it points to. Missing is a failure. */
  removeFile(path: string): Promise<void>;
  /** Links are followed. Undefined where nothing is there; not being allowed to look is a failure. */
  stat(path: string): Promise<FileStat | undefined>;
  list(path: string): Promise<DirectoryEntry[]>;
  /** Absolute, with symbolic links followed as far as the path exists. */
  resolvePath(path: string): Promise<string>;
  /** Makes a folder of this machine that commands in here have too. Absent where they run on another one. */
  newFolder?(): PrivateFolder;
  /** Lets go of connections and temporary files. What was started goes on. */
  close(): Promise<void>;
}

/** A new folder that no other user can look into, with the same path inside and outside. It goes with the program at the latest. */
export type PrivateFolder = { readonly path: string; remove(): void };

export type CommandOptions = {
  timeoutMs: number;
  signal: AbortSignal;
  /** Only for this command: the next one starts again where the last one without this ended. */
  workingDirectory?: string | undefined;
  /** What the command reads; without it there is nothing to read. */
  stdin?: string | Uint8Array | undefined;
  /** How much of the output is kept, in characters; the rest is dropped in the middle. */
  maxOutput: number;
  /** A file of its own for all of the output, made only where there is more of it than is kept. */
  spillFile?: string | undefined;
  onOutput?(text: string): void;
  /** It runs, and this is how another program finds it. */
  onBegun?(record: ProcessRecord): void;
};

export type CommandResult = {
  /** Standard output and error as they came, escape sequences removed. */
  output: string;
  /** Characters that were dropped in the middle. */
  omitted: number;
  /** Whether the spill file has all of the output, or only its beginning; undefined where there is none. */
  spilled?: 'whole' | 'beginning' | undefined;
  /** Of a command that was stopped: something that it started was still there when it was given up. */
  leftRunning?: boolean;
  /** Of a command that ended by itself: what it started with `&` and left running. */
  left?: LeftProcess;
  /** Undefined where a signal ended it. */
  exitCode: number | undefined;
  ended: 'exit' | 'timeout' | 'interrupted' | 'signal';
  signalName?: string;
  /** Where the shell was in the end; where it started, if it could not tell. */
  workingDirectory: string;
};

/** Bytes from `offset` on; all of them where `length` is left out. */
export type FilePart = { offset?: number; length?: number };
export type FileStat = { kind: 'file' | 'directory' | 'other'; size: number; modifiedMs: number };
export type DirectoryEntry = { name: string; kind: FileStat['kind'] };

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
