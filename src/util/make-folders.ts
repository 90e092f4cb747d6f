import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

type Options = { mode?: number };

/**
 * Makes a folder, and those above it that are missing. Node's own way never ends where the folder above is there and yet
 * nothing can be made in it because "there is no such folder", as in /proc; this one asks for each folder twice at most.
 */
export async function makeFolders(folder: string, options: Options = {}): Promise<void> {
  try {
    await mkdir(folder, options);
  } catch (thrown) {
    const found = await stat(folder).catch(() => undefined);
    if (found?.isDirectory()) return;
    const above = aboveMissing(folder, thrown);
    await makeFolders(above, options);
    await mkdir(folder, options).catch(unlessThere);
  }
}

/** The same for those who cannot wait. */
export function makeFoldersSync(folder: string, options: Options = {}): void {
  try {
    mkdirSync(folder, options);
  } catch (thrown) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
    const above = aboveMissing(folder, thrown);
    makeFoldersSync(above, options);
    try {
      mkdirSync(folder, options);
    } catch (again) {
      unlessThere(again);
    }
  }
}

/** What has to be made first; throws what stood in the way where that is something else. */
function aboveMissing(folder: string, thrown: unknown): string {
  const above = dirname(folder);
  if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw thrown;
  return above;
}

/** Another process may have made it meanwhile. */
function unlessThere(thrown: unknown): void {
  if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
}
