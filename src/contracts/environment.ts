/**
 * An execution environment: where commands run and files are. File tools and the terminal share one, so they see the
 * same machine.
 */
export interface Environment {
  readonly name: string;
  /** The environment location: which machine or container it is. Processes can be found again only there. */
  readonly location: string;
  /** The initial directory. */
  readonly workingDirectory: string;
  /** Path of the shell that runs commands. */
  readonly shell: string;
  /** The operating system that commands see, described for the model. */
  readonly system: string;
  /**
   * True if nothing on the user's machine can be reached or changed from this environment, so that nothing here needs
   * approval.
   */
  readonly isolated: boolean;
  /** Commands see the files of this machine under the same paths. */
  readonly localFiles?: true;
  /** Set if commands run in the sandbox. */
  readonly sandbox?: SandboxFacts;
  /**
   * Why confined commands run without the sandbox here; undefined if they run in it. Absent if commands run on another
   * machine.
   */
  confinementProblem?(): Promise<ConfinementProblem | undefined>;
  /** The directory of the shell after the last command. Relative file paths start here too. */
  currentDirectory(): string;
  /**
   * The path with links resolved if it is the current directory, as the last command reported it; otherwise undefined.
   * Absent if looking it up costs nothing. If the directory has been deleted since, a command fails with `ENOENT`.
   */
  knownDirectory?(path: string): string | undefined;
  /**
   * Runs a command in a new shell that inherits the shell state of the last one: exported variables, functions,
   * aliases, shell options and the working directory. A command that was killed leaves that state unchanged.
   */
  run(command: string, options: CommandOptions): Promise<CommandResult>;
  /**
   * Starts a command in the background with the current shell state. Changes that it makes to the shell state do not
   * affect later commands. It keeps running when Hermes exits, unless the options say otherwise.
   */
  start(command: string, options?: StartOptions): Promise<RunningProcess>;
  /** Finds a process that was started earlier, possibly by a killed Hermes process. Undefined if it has ended. */
  findProcess(record: ProcessRecord): Promise<DetachedProcess | undefined>;
  /**
   * Reads a regular file or a byte range of it; returns fewer bytes at the end of the file. Rejects for anything else
   * (a directory, a FIFO, a device) without blocking.
   */
  readFile(path: string, part?: FilePart): Promise<Uint8Array>;
  /** Reads files as they are on the disk, for tools that read many. Absent if `readFile` does that. */
  readonly saved?: Pick<Environment, 'readFile'>;
  /**
   * Replaces a file atomically. Creates missing directories, keeps the permissions of an existing file, and follows
   * links. Rejected if the path is not a regular file.
   */
  writeFile(path: string, content: Uint8Array | string): Promise<void>;
  /** Deletes a file. For a link, deletes the link itself, never its target. Fails if the file does not exist. */
  removeFile(path: string): Promise<void>;
  /** Follows links. Undefined if nothing exists there; fails if permission is denied. */
  stat(path: string): Promise<FileStat | undefined>;
  list(path: string): Promise<DirectoryEntry[]>;
  /** An absolute path with symbolic links resolved as far as the path exists. */
  resolvePath(path: string): Promise<string>;
  /**
   * Creates a folder on this machine that commands in the environment can access too. Absent if commands run on
   * another machine.
   */
  newFolder?(): PrivateFolder;
  /** Closes connections and deletes temporary files. Started processes keep running. */
  close(): Promise<void>;
}

/** Why confined commands run without the sandbox. `isFirst`: nobody has asked before. */
export type ConfinementProblem = { reason: string; isFirst: boolean };

export type SandboxFacts = {
  /** Whether commands have network access. */
  readonly network: boolean;
  /** The same machine outside the sandbox, with a shell state of its own. Each command there needs approval. */
  readonly outside: Environment;
  /** The writable temporary folder as commands name it; `/tmp` by default. */
  readonly temporaryFolder?: string;
};

/**
 * A new folder that other users cannot read, with the same path inside and outside the environment. Deleted at the
 * latest when Hermes exits.
 */
export type PrivateFolder = { readonly path: string; remove(): void };

export type CommandOptions = {
  timeoutMs: number;
  signal: AbortSignal;
  /** Applies to this command only; the next one continues in the previous directory. */
  workingDirectory?: string | undefined;
  /** Input for the command; empty if absent. */
  stdin?: string | Uint8Array | undefined;
  /** Maximum characters of output to return; longer output is shortened in the middle. */
  maxOutput: number;
  /** Run the command in the sandbox if there is one; `confinementProblem` says why there is none. */
  confined?: boolean;
  /** File for the complete output, created only if the output exceeds `maxOutput` or an excerpt of it is returned. */
  spillFile?: string | undefined;
  /** Selects what is returned of output that is saved in full. Without a spill file it is not used. */
  excerpt?: OutputExcerpt | undefined;
  onOutput?(text: string): void;
  /** Called when the command has started, with the record by which another process can find it. */
  onBegun?(record: ProcessRecord): void;
};

/** Reads the output of a command while it streams, and selects the parts that matter. */
export interface OutputExcerpt {
  push(text: string): void;
  /** The selection with its own notices about what it omits; undefined to treat the output like any other. */
  finish(): { text: string; omitted: number; total: number } | undefined;
}

export type CommandResult = {
  /** stdout and stderr in the order they arrived, without escape sequences. */
  output: string;
  /** Number of characters removed in the middle, or everywhere if the output is an excerpt. */
  omitted: number;
  /** If the output is an excerpt: the length of the whole output. */
  excerptOf?: number;
  /** Whether the spill file has the complete output or only its beginning; undefined if there is none. */
  spilled?: 'whole' | 'beginning' | undefined;
  /** The command was killed, but some processes of its process tree could not be killed. */
  leftRunning?: boolean;
  /** Processes that the command started with `&` and that still run after it has finished. */
  orphaned?: OrphanedProcess;
  /** Undefined if a signal ended the command. */
  exitCode: number | undefined;
  ended: 'exit' | 'timeout' | 'interrupted' | 'signal';
  signalName?: string;
  /** The final directory of the shell, or the initial one if it could not be determined. */
  workingDirectory: string;
};

/** A byte range; up to the end of the file if `length` is omitted. */
export type FilePart = { offset?: number; length?: number };
export type FileStat = { kind: 'file' | 'directory' | 'other'; size: number; modifiedMs: number };
export type DirectoryEntry = { name: string; kind: FileStat['kind'] };

/** Options for a command that is not waited for. */
export type StartOptions = {
  workingDirectory?: string | undefined;
  /**
   * Use a pseudo-terminal of this size instead of pipes; stdout and stderr are then one stream, and input is echoed.
   */
  pty?: { columns: number; rows: number } | undefined;
  /** Kill the command when Hermes exits, in any way that can be detected. */
  killOnExit?: boolean;
};

/** A running command with its process tree. */
export interface RunningProcess {
  readonly pid: number;
  /** What is needed to find it again, as plain data that can be stored. */
  readonly record: ProcessRecord;
  /**
   * Adds a listener for the raw text of both streams, including escape sequences. The first listener immediately gets
   * what was printed before. Returns a function that removes the listener.
   */
  onOutput(listener: (text: string) => void): () => void;
  /** Resolves when the process has received the data; rejects if its stdin is closed. */
  write(data: string | Uint8Array): Promise<void>;
  /** Closes stdin; in a terminal it sends Ctrl-D. */
  closeInput(): void;
  /** Present only with a pseudo-terminal. */
  resize?(columns: number, rows: number): void;
  /** Kills the process tree: SIGTERM, then SIGKILL after a grace period. Returns true if nothing is left. */
  kill(): Promise<boolean>;
  /** Settles when the command has ended and its output is complete; never rejects. */
  readonly ended: Promise<ProcessEnding>;
}

export type ProcessEnding = {
  /** Undefined if a signal ended it or the exit code is unknown. */
  exitCode: number | undefined;
  signalName: string | undefined;
};

/** Identifies a process. A pid alone may have been reused, so the start time and a process tag are stored with it. */
export type ProcessRecord = {
  pid: number;
  /** As reported by its machine; for comparison only. */
  startTime: string;
  /** The process tag, set in the environment of the process and its children. */
  mark: string;
};

/** An orphaned process: left running by a finished foreground command. */
export interface OrphanedProcess extends DetachedProcess {
  readonly record: ProcessRecord;
  /** Its processes, starting with the one that has `pid`. */
  readonly members: readonly { pid: number; command: string }[];
  /** Adds a listener for output from now on. */
  onOutput(listener: (text: string) => void): () => void;
  /** Kills the process when Hermes exits, in any way that can be detected. */
  killOnExit(): void;
}

/** A process that is not a child of this one: it can be checked and killed, but its output is lost. */
export interface DetachedProcess {
  readonly pid: number;
  isRunning(): Promise<boolean>;
  kill(): Promise<boolean>;
}
