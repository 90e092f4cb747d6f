import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage, newId } from '../base/index.ts';
import { markFolder, removeAbandonedFolders } from '../util/index.ts';
import { BrowserFailure } from './browser-failure.ts';

/** Where a browser keeps what it needs while it runs. */
export interface ProfileFolder {
  readonly path: string;
  remove(): void;
}

const PREFIX = 'hermes-browser';

/** A folder of its own for one browser. Those of programs that were killed are removed first. */
export function createProfileFolder(parent = tmpdir()): ProfileFolder {
  const path = join(parent, newId(PREFIX));
  try {
    // A browser ends itself when its program is killed; its folder is left for the next one to remove.
    removeAbandonedFolders(parent, `${PREFIX}_`);
    mkdirSync(path, { mode: 0o700 });
    markFolder(path);
  } catch (thrown) {
    remove(path);
    const what = `The browser needs a folder in ${parent}, and none could be made there (${errorMessage(thrown)}).`;
    throw new BrowserFailure(
      `${what} The user has to set TMPDIR to a folder that exists, can be written to and has room.`,
    );
  }
  return { path, remove: () => remove(path) };
}

/** What cannot be removed now is removed by a later one. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Nothing is lost by it.
  }
}
