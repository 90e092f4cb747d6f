import type { HermesError } from '../base/index.ts';
import type { ProgramResult } from './run-program.ts';

/** The way to a shell somewhere else, by a program of this machine; it is opened again when it is lost. */
export interface RemoteConnection {
  /** The program that leads there, and the variables it gets itself. */
  readonly program: string;
  readonly env: Record<string, string>;
  /** A command over there ends when the terminal that this side gave it is gone. */
  readonly endsWithTerminal: boolean;
  /** What a command left running loses its output when the script that began it ends. */
  readonly lingers?: boolean;
  /** Opens it if it is not there. */
  open(): Promise<void>;
  /** Arguments of the program for a script of `sh` on the other side. */
  args(script: string, parameters: readonly string[], options?: { shell?: string; terminal?: boolean }): string[];
  /** Runs a script to its end, on a new connection where the old one was lost. */
  run(script: string, parameters: readonly string[], input?: Uint8Array): Promise<ProgramResult>;
  /** Whether the program itself is at fault, and not the command: by its code, and by what it said. */
  hasFailed(code: number, errors: string): boolean;
  /** The other side was found gone: the next use has to look for it. */
  forget?(): void;
  /** What went wrong, from what the program said. */
  explain(errors: string): HermesError;
  close(): Promise<void>;
}
