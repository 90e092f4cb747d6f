import type { LaunchedChild } from '../launched-command.ts';
import type { RemoteTerminal, RemoteTerminalStart } from '../remote/remote-connection.ts';
import type { ProgramResult } from '../run-program.ts';

/** The start of every exit script. */
export const EXIT_SCRIPT_HEAD = `
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const task = JSON.parse(process.argv[1]);
const sdk = await import(pathToFileURL(task.file).href);
// No process waits for this one, so it must end by itself.
setTimeout(() => process.exit(1), 300_000).unref();
`;
/** The end of every exit script: it releases the lease of the container. */
export const EXIT_SCRIPT_TAIL = `
if (task.ending === 'remove') rmSync(task.folder, { recursive: true, force: true });
else rmSync(task.folder + '/users', { recursive: true, force: true });
process.exit(0);
`;

/** How to create a cloud container. */
export type CloudRules = {
  name: string;
  image: string;
  /** CPUs, and memory and disk in megabytes; the default is the service's. */
  cpu?: number | undefined;
  memory?: number | undefined;
  disk?: number | undefined;
  network: boolean;
  /** Whether the content is kept for the next invocation. */
  persistent: boolean;
  /** A local folder for data about the container. */
  folder: string;
  /** Timeout for creating or starting a container. */
  createMs: number;
};

export type CloudServiceOptions = CloudRules & {
  home: string;
  variables: Readonly<Record<string, string | undefined>>;
  /** The local environment variables, without secrets. */
  env: Record<string, string>;
};

/** A running cloud container. Commands are given as a program and its arguments. */
export interface CloudContainer {
  begin(words: readonly string[], input: boolean): Promise<LaunchedChild>;
  beginTerminal(words: readonly string[], size: RemoteTerminalStart['size']): Promise<RemoteTerminal>;
  run(words: readonly string[], input?: Uint8Array): Promise<ProgramResult>;
}

/** What the detached process needs to end the container, as plain data. */
type CloudExitScript = { script: string; data: Record<string, unknown>; env: Record<string, string> };

/** A service that runs containers, used through its SDK. */
export interface CloudService {
  /** Finds the container by name and starts it if it is stopped; undefined if there is none. */
  find(): Promise<CloudContainer | undefined>;
  /** Creates the container, with the saved content of an earlier one. */
  create(): Promise<CloudContainer>;
  /** Ends a container, with or without keeping its content. A container that no longer exists is not an error. */
  end(name: string, folder: string, keeps: boolean): Promise<void>;
  exitScript: CloudExitScript;
  /** Closes all local connections. */
  close(): Promise<void>;
}

type ContainerExitTask = {
  name: string;
  folder: string;
  /** What happens to the container. */
  ending: 'goes on' | 'keep' | 'remove';
  /** Commands to run in the container first, unless it is removed. */
  runs: readonly (readonly string[])[];
};

/**
 * Ends the container in a detached process, because an exiting process cannot wait for a service. The lease stays
 * until that is done: if it fails, the next invocation of Hermes treats the container as abandoned.
 */
export function endInDetachedProcess({ script, data, env }: CloudExitScript, task: ContainerExitTask): void {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const words = ['--input-type=module', '-e', script, '--', JSON.stringify({ ...data, ...task })];
  spawn(process.execPath, words, { env, detached: true, stdio: 'ignore' }).unref();
}
