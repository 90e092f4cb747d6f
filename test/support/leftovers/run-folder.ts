import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { removeAbandonedFolders } from '../../../src/util/index.ts';
import { awaitLeftovers, describeLeftovers, SHELL_FOLDERS } from './find-leftovers.ts';
import { NAME_SUFFIX } from './name-suffix.ts';

declare module 'vitest' {
  interface ProvidedContext {
    runFolder: string;
  }
}

/** Creates the folder in which each test file of this run gets its temporary folder. */
export function setup(project: TestProject): () => Promise<void> {
  const folder = realpathSync(makeFolder());
  // Programs that run as another user must be able to traverse it.
  chmodSync(folder, 0o711);
  project.provide('runFolder', folder);
  return () => endRun(folder);
}

const MEMORY_PLACE = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * The path is as short as possible, because that of a socket is limited to about 100 characters. It is in memory if
 * there is room and TMPDIR is not set: tests create so many small files that a disk costs a third of their system
 * time.
 */
function makeFolder(): string {
  if (process.env['TMPDIR'] !== undefined || !canHoldTests(MEMORY_PLACE)) return mkdtempSync(join(tmpdir(), 'ht-'));
  return mkdtempSync(`${MEMORY_PLACE}/`);
}

function canHoldTests(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === folder);
    // Tests execute programs that they wrote there.
    const runsPrograms = mount !== undefined && !/\bnoexec\b/.test(mount);
    return runsPrograms && Math.min(bavail * bsize, freemem()) > ENOUGH_BYTES;
  } catch {
    return false;
  }
}

/** Files that are still there were written after their test file ended, by a process that was not ended with it. */
async function endRun(folder: string): Promise<void> {
  const names = readdirSync(folder).filter((name) => name.endsWith(NAME_SUFFIX));
  // In parallel, because the runner waits only ten seconds in total and would then exit as if nothing had been found.
  const looks = names.map(async (name) => {
    const left = await awaitLeftovers(join(folder, name.slice(0, -NAME_SUFFIX.length)));
    return left.length === 0 ? [] : [describeLeftovers(readFileSync(join(folder, name), 'utf8'), left)];
  });
  const found = (await Promise.all(looks)).flat();
  rmSync(folder, { recursive: true, force: true });
  // Shell folders of killed processes. Normally the next process removes them, but the run has ended.
  if (existsSync(SHELL_FOLDERS.place)) removeAbandonedFolders(SHELL_FOLDERS.place, SHELL_FOLDERS.prefix);
  if (found.length === 0) return;
  throw new Error(
    `Files were written to the temporary folder after their test file ended. Wait for the process that writes them:\n${found.join('\n')}`,
  );
}
