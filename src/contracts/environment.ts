/** Where commands run and files live. File tools and the terminal share one, so they see the same machine. */
export interface Environment {
  readonly name: string;
  /** The directory that relative paths start from. */
  readonly workingDirectory: string;
  run(command: string, options: CommandOptions): Promise<CommandResult>;
  readFile(path: string): Promise<Uint8Array>;
  /** Replaces the file in one step: a reader sees the old or the new content, never a half. Makes missing folders. */
  writeFile(path: string, content: Uint8Array | string): Promise<void>;
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
  onOutput?(text: string): void;
};

export type CommandResult = {
  /** Standard output and error as they came, escape sequences removed. */
  output: string;
  /** Characters that were dropped in the middle. */
  omitted: number;
  /** Undefined where a signal ended it. */
  exitCode: number | undefined;
  ended: 'exit' | 'timeout' | 'interrupted' | 'signal';
  signalName?: string;
};

export type FileStat = { kind: 'file' | 'directory' | 'other'; size: number; modifiedMs: number };
export type DirectoryEntry = { name: string; kind: FileStat['kind'] };
