import type { HermesError } from '../../base/index.ts';
import type { RunningProcess, StartOptions } from '../../contracts/index.ts';
import type { LaunchedChild } from '../launched-command.ts';
import type { ProgramResult } from '../run-program.ts';

/** A script to start on the remote side. */
export type RemoteStart = {
  script: string;
  parameters: readonly string[];
  /** The shell that runs the script. */
  shell: string;
};

export type RemoteBegin = RemoteStart & {
  input: boolean;
  /** With `startsOnce`: the script does not start if this file exists, and creates it otherwise. */
  claim?: string | undefined;
};

export type RemoteTerminalStart = RemoteStart & { mark: string; size: NonNullable<StartOptions['pty']> };

/** A connection to a remote shell, reopened when it is lost. */
export interface RemoteConnection {
  /**
   * The script that starts a command must keep running while orphaned processes are left, because they lose their
   * output when it exits.
   */
  readonly waitsForOrphans?: boolean;
  /** How long output may arrive after the end of a command was reported; undefined means the default time. */
  readonly drainMs?: number;
  /**
   * A lost connection does not tell whether a command was started. With a claim it starts at most once: either the
   * command creates the file and starts, or Hermes creates it and sends the command again.
   */
  readonly startsOnce?: boolean;
  /** How long a background process may take to start; undefined means the default time. */
  readonly startTimeoutMs?: number | undefined;
  /** Opens the connection if it is not open. */
  open(): Promise<void>;
  /** Starts a script with its own streams. */
  begin(start: RemoteBegin): Promise<LaunchedChild>;
  /** Starts a script in a pseudo-terminal; its first output is the process record. */
  startTerminal(start: RemoteTerminalStart): Promise<RemoteTerminal>;
  /** Runs a script until it exits, reconnecting if necessary. */
  run(script: string, parameters: readonly string[], input?: Uint8Array): Promise<ProgramResult>;
  /** Runs a script synchronously, for use at exit. */
  runAtExit(script: string, parameters: readonly string[]): void;
  /** Whether the connection failed rather than the command, judged by the exit code and stderr. */
  hasFailed(code: number, errors: string): boolean;
  /** Marks the remote side as gone, so that the next use looks for it again. */
  forget?(): void;
  /** Turns stderr into an error with a hint. */
  explain(errors: string): HermesError;
  close(): Promise<void>;
}

export type RemoteTerminal = {
  /** Everything except the identity of the remote process. */
  running: Omit<RunningProcess, 'pid' | 'record' | 'kill' | 'resize'>;
  /** Resizes the terminal, if that is possible without knowing the remote process. */
  resize?(columns: number, rows: number): void;
  /** The connecting program may miss a resize, so a script must resize the terminal as well. */
  mayMissResize?: boolean;
  endNow(): void;
  /** The remote command ends when this terminal is closed. */
  endsWithTerminal: boolean;
};
