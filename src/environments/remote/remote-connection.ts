import type { HermesError } from '../../base/index.ts';
import type { RunningProcess, StartOptions } from '../../contracts/index.ts';
import type { LaunchedChild } from '../launched.ts';
import type { ProgramResult } from '../run-program.ts';

/** How a script is begun on the other side. */
export type RemoteStart = {
  script: string;
  parameters: readonly string[];
  /** The shell that reads the script. */
  shell: string;
};

export type RemoteTerminalStart = RemoteStart & { mark: string; size: NonNullable<StartOptions['pty']> };

/** The way to a shell somewhere else; it is opened again when it is lost. */
export interface RemoteConnection {
  /** What a command left running loses its output when the script that began it ends. */
  readonly lingers?: boolean;
  /** How long output may be behind the word that a command has ended, where that is not the usual time. */
  readonly drainMs?: number;
  /** Opens it if it is not there. */
  open(): Promise<void>;
  /** Begins a script, with streams of its own. */
  begin(start: RemoteStart & { input: boolean }): Promise<LaunchedChild>;
  /** Begins a script in a terminal; what it prints first says which process it is. */
  beginTerminal(start: RemoteTerminalStart): Promise<RemoteTerminal>;
  /** Runs a script to its end, on a new connection where the old one was lost. */
  run(script: string, parameters: readonly string[], input?: Uint8Array): Promise<ProgramResult>;
  /** The same for a program that leaves, which cannot wait for events. */
  leave(script: string, parameters: readonly string[]): void;
  /** Whether the way there is at fault, and not the command: by its code, and by what was said. */
  hasFailed(code: number, errors: string): boolean;
  /** The other side was found gone: the next use has to look for it. */
  forget?(): void;
  /** What went wrong, from what was said. */
  explain(errors: string): HermesError;
  close(): Promise<void>;
}

export type RemoteTerminal = {
  /** All but which process it is over there. */
  running: Omit<RunningProcess, 'pid' | 'record' | 'kill' | 'resize'>;
  /** Tells the terminal of its size, where the process in it does not have to be known for that. */
  resize?(columns: number, rows: number): void;
  /** What leads there may not hear of a new size, so that a script has to tell the terminal of it as well. */
  missesSizes?: boolean;
  endNow(): void;
  /** A command over there ends when this is gone. */
  endsAlone: boolean;
};
