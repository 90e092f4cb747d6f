import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage, isJsonObject, newId, parseJson } from '../base/index.ts';
import { hasDied, markProcess, processScope } from '../util/index.ts';
import { BrowserFailure } from './browser-failure.ts';

/** Where a browser keeps what it needs while it runs. */
export interface ProfileFolder {
  readonly path: string;
  remove(): void;
}

const PREFIX = 'hermes-browser';
const OWNER_FILE = 'owner.json';

/** A folder of its own for one browser. Those of programs that were killed are removed first. */
export function createProfileFolder(parent = tmpdir()): ProfileFolder {
  const path = join(parent, newId(PREFIX));
  try {
    sweep(parent);
    mkdirSync(path, { mode: 0o700 });
    writeFileSync(join(path, OWNER_FILE), JSON.stringify(markProcess()), { mode: 0o600 });
  } catch (thrown) {
    remove(path);
    const what = `The browser needs a folder in ${parent}, and none could be made there (${errorMessage(thrown)}).`;
    throw new BrowserFailure(
      `${what} The user has to set TMPDIR to a folder that exists, can be written to and has room.`,
    );
  }
  return { path, remove: () => remove(path) };
}

/** A browser ends itself when its program is killed; its folder is left for the next one to remove. */
function sweep(parent: string): void {
  const scope = processScope();
  for (const name of readdirSync(parent).filter((each) => each.startsWith(`${PREFIX}_`))) {
    const owner = readOwner(join(parent, name));
    if (owner !== undefined && hasDied(owner, scope)) remove(join(parent, name));
  }
}

function readOwner(folder: string): { pid: number; scope: string } | undefined {
  try {
    // Anybody may put things there: what is no plain file could be waited for without end.
    if (!lstatSync(join(folder, OWNER_FILE)).isFile()) return undefined;
    const owner = parseJson(readFileSync(join(folder, OWNER_FILE), 'utf8'));
    if (!isJsonObject(owner) || typeof owner['pid'] !== 'number' || typeof owner['scope'] !== 'string')
      return undefined;
    return { pid: owner['pid'], scope: owner['scope'] };
  } catch {
    // Not ours, or of another user.
    return undefined;
  }
}

/** What cannot be removed now is removed by a later one. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Nothing is lost by it.
  }
}
