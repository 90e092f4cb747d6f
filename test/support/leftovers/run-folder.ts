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
import { awaitLeftovers, describeLeftovers, SHELL_FOLDERS } from './look-for-leftovers.ts';
import { NAME_ENDING } from './name-ending.ts';

declare module 'vitest' {
  interface ProvidedContext {
    runFolder: string;
  }
}

/** Makes the folder in which each test file of this run gets a temporary folder of its own. */
export function setup(project: TestProject): () => Promise<void> {
  const folder = realpathSync(makeFolder());
  // Programs that run as another user have to get through to their own folders.
  chmodSync(folder, 0o711);
  project.provide('runFolder', folder);
  return () => endRun(folder);
}

const MEMORY_PLACE = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Its path is as short as can be: that of a socket in it has at most about 100 characters. In memory if there is room and
 * no other place was asked for: tests make so many small files that a disk costs a third of their system time.
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
    // Tests run programs that they have written.
    const runsPrograms = mount !== undefined && !/\bnoexec\b/.test(mount);
    return runsPrograms && Math.min(bavail * bsize, freemem()) > ENOUGH_BYTES;
  } catch {
    return false;
  }
}

/** What is still there was written after its test file had ended: by something that was not ended with it. */
async function endRun(folder: string): Promise<void> {
  const names = readdirSync(folder).filter((name) => name.endsWith(NAME_ENDING));
  // At once, because the runner waits for ten seconds in all, and would then end as if nothing had been found.
  const looks = names.map(async (name) => {
    const left = await awaitLeftovers(join(folder, name.slice(0, -NAME_ENDING.length)));
    return left.length === 0 ? [] : [describeLeftovers(readFileSync(join(folder, name), 'utf8'), left)];
  });
  const found = (await Promise.all(looks)).flat();
  rmSync(folder, { recursive: true, force: true });
  // Of programs that tests have killed. The next one would remove them, and none comes.
  if (existsSync(SHELL_FOLDERS.place)) removeAbandonedFolders(SHELL_FOLDERS.place, SHELL_FOLDERS.prefix);
  if (found.length === 0) return;
  throw new Error(
    `Tests left files in the temporary folder after they had ended. Wait for the end of what writes them:\n${found.join('\n')}`,
  );
}
