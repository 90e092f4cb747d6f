import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long to wait for processes that are ending; no wait if nothing is left. The test of this check shortens it. */
const MAX_WAIT_MS = Number(process.env['HERMES_TEST_LEFTOVER_WAIT_MS'] ?? 5000);
const LOOK_EVERY_MS = 25;
/** The maximum number of leftover files that an error names. */
const MAX_NAMED = 12;

/** The names of all files in a test folder, recursively; empty if everything was removed. */
function listLeftovers(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1) + (entry.isDirectory() ? '/' : ''))
      .sort();
  } catch {
    // Something in it was removed at the same moment.
    return readdirSync(folder).sort();
  }
}

/**
 * Waits until the folder is empty, up to a limit, and returns the leftovers: a process that is ending removes its
 * files a little later.
 */
export async function awaitLeftovers(folder: string): Promise<string[]> {
  const deadline = Date.now() + MAX_WAIT_MS;
  while (readdirSync(folder).length > 0 && Date.now() < deadline) await sleep(LOOK_EVERY_MS);
  return listLeftovers(folder);
}

/** Where shells pass on their state, in memory and outside the temporary folder. */
export const SHELL_FOLDERS = { place: '/dev/shm', prefix: 'hermes-shell-' };

/** The shell folders that environments of this process created and did not remove. */
export function openShellFolders(): string[] {
  const { place, prefix } = SHELL_FOLDERS;
  if (!existsSync(place)) return [];
  const isOwn = (folder: string) => {
    const owner = join(folder, 'owner.json');
    return existsSync(owner) && readFileSync(owner, 'utf8').includes(`"pid":${process.pid},`);
  };
  const folders = readdirSync(place).filter((name) => name.startsWith(prefix));
  return folders.map((name) => join(place, name)).filter(isOwn);
}

export function describeLeftovers(testFile: string, names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => `\n    ${name}`);
  const more = names.length > MAX_NAMED ? `\n    and ${names.length - MAX_NAMED} more` : '';
  return `  ${testFile}${shown.join('')}${more}`;
}
