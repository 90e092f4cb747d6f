import type { CloudLeaving } from './cloud-service.ts';

export type LeavingTask = {
  name: string;
  folder: string;
  /** What becomes of the container. */
  ending: 'goes on' | 'keep' | 'remove';
  /** What is run in it before, unless nothing of it stays. */
  runs: readonly (readonly string[])[];
};

/**
 * A program that leaves cannot wait for a service, so it hands the end of its container to one of its own, which goes on
 * without it. The lease stays until that is done: if it fails, the next start finds the container abandoned.
 */
export function endWithoutUs({ script, data, env }: CloudLeaving, task: LeavingTask): void {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const words = ['--input-type=module', '-e', script, '--', JSON.stringify({ ...data, ...task })];
  spawn(process.execPath, words, { env, detached: true, stdio: 'ignore' }).unref();
}

/** The beginning of each such program. */
export const LEAVING_HEAD = `
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const task = JSON.parse(process.argv[1]);
const sdk = await import(pathToFileURL(task.file).href);
// Nothing waits for it, so it must not wait for ever.
setTimeout(() => process.exit(1), 300_000).unref();
`;

/** And the end: nobody has to look for the container any more. */
export const LEAVING_TAIL = `
if (task.ending === 'remove') rmSync(task.folder, { recursive: true, force: true });
else rmSync(task.folder + '/users', { recursive: true, force: true });
process.exit(0);
`;
