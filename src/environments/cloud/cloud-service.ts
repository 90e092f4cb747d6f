import type { LaunchedChild } from '../launched.ts';
import type { RemoteTerminal, RemoteTerminalStart } from '../remote/remote-connection.ts';
import type { ProgramResult } from '../run-program.ts';

/** The start of every such script. */
export const LEAVING_HEAD = `
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const task = JSON.parse(process.argv[1]);
const sdk = await import(pathToFileURL(task.file).href);
// Nothing waits for it, so it must not wait for ever.
setTimeout(() => process.exit(1), 300_000).unref();
`;
/** The end of every such script: it releases the lease of the container. */
export const LEAVING_TAIL = `
if (task.ending === 'remove') rmSync(task.folder, { recursive: true, force: true });
else rmSync(task.folder + '/users', { recursive: true, force: true });
process.exit(0);
`;

/** How a container of a service is made. */
export type CloudRules = {
  name: string;
  image: string;
  /** Processors, and megabytes of memory and disk; what is not given is the service's choice. */
  cpu?: number | undefined;
  memory?: number | undefined;
  disk?: number | undefined;
  network: boolean;
  /** What is in it is there again at the next start. */
  persistent: boolean;
  /** A folder of this machine for what is to be known at the next start. */
  folder: string;
  /** How long making or starting one may take. */
  createMs: number;
};

/** What a service is created with. */
export type CloudServiceOptions = CloudRules & {
  home: string;
  variables: Readonly<Record<string, string | undefined>>;
  /** The environment variables of this machine, without secrets. */
  env: Record<string, string>;
};

/** A container that runs at a service. Scripts are given as words: a program and its arguments. */
export interface CloudContainer {
  begin(words: readonly string[], input: boolean): Promise<LaunchedChild>;
  beginTerminal(words: readonly string[], size: RemoteTerminalStart['size']): Promise<RemoteTerminal>;
  run(words: readonly string[], input?: Uint8Array): Promise<ProgramResult>;
}

/** What a leaving program hands to the one that ends its container, as plain data. */
type CloudLeaving = { script: string; data: Record<string, unknown>; env: Record<string, string> };

/** A service that runs containers, through its own SDK. */
export interface CloudService {
  /** Takes up the container of that name, wherever it was left; undefined where there is none. */
  find(): Promise<CloudContainer | undefined>;
  /** Makes it, with what was kept of an earlier one. */
  make(): Promise<CloudContainer>;
  /** Ends a container, keeping what is in it or not. One that is there no more is no fault. */
  end(name: string, folder: string, keeps: boolean): Promise<void>;
  leaving: CloudLeaving;
  /** Lets go of everything on this side. */
  close(): Promise<void>;
}

type LeavingTask = {
  name: string;
  folder: string;
  /** What happens to the container. */
  ending: 'goes on' | 'keep' | 'remove';
  /** Commands to run in it first, unless it is removed. */
  runs: readonly (readonly string[])[];
};

/**
 * An exiting process cannot wait for a service, so it starts a detached process that ends the container. The lease
 * stays until that is done: if it fails, the next start treats the container as abandoned.
 */
export function endInDetachedProcess({ script, data, env }: CloudLeaving, task: LeavingTask): void {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const words = ['--input-type=module', '-e', script, '--', JSON.stringify({ ...data, ...task })];
  spawn(process.execPath, words, { env, detached: true, stdio: 'ignore' }).unref();
}
