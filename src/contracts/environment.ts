/** Where commands run and files live. File tools and the terminal share one, so they see the same machine. */
export interface Environment {
  readonly name: string;
  /** The directory that relative paths start from. */
  readonly workingDirectory: string;
  /** The program that reads the commands, as a path: what a command may use depends on it. */
  readonly shell: string;
  run(command: string, options: CommandOptions): Promise<CommandResult>;
  /** Reads a file, or a part of it; less than was asked for where the file ends. */
  readFile(path: string, part?: FilePart): Promise<Uint8Array>;
  /** Replaces the file in one step: a reader sees the old or the new content, never a half. Makes missing folders. */
  writeFile(path: string, content: Uint8Array | string): Promise<void>;
  /** Removes a file; of a link the link itself, never what it points to. Missing is a failure. */
  removeFile(path: string): Promise<void>;
  stat(path: string): Promise<FileStat | undefined>;
  list(path: string): Promise<DirectoryEntry[]>;
  /** Absolute, with symbolic links followed as far as the path exists. */
  resolvePath(path: string): Promise<string>;
}

export type CommandOptions = {
  timeoutMs: number;
  signal: AbortSignal;
  workingDirectory?: string;
  /** How much of the output is kept, in characters; the rest is dropped in the middle. */
  maxOutput: number;
  /** A file of its own for all of the output, made only where there is more of it than is kept. */
  spillFile?: string | undefined;
  onOutput?(text: string): void;
};

export type CommandResult = {
  /** Standard output and error as they came, escape sequences removed. */
  output: string;
  /** Characters that were dropped in the middle. */
  omitted: number;
  /** Whether the spill file has all of the output, or only its beginning; undefined where there is none. */
  spilled?: 'whole' | 'beginning' | undefined;
  /** Of a command that was stopped: something of its process group was still there when it was given up. */
  leftRunning?: boolean;
  /** Undefined where a signal ended it. */
  exitCode: number | undefined;
  ended: 'exit' | 'timeout' | 'interrupted' | 'signal';
  signalName?: string;
};

/** Bytes from `offset` on; all of them where `length` is left out. */
export type FilePart = { offset?: number; length?: number };
export type FileStat = { kind: 'file' | 'directory' | 'other'; size: number; modifiedMs: number };
export type DirectoryEntry = { name: string; kind: FileStat['kind'] };
