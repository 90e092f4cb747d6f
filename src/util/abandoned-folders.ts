import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '../base/index.ts';
import { hasDied, markProcess, processScope } from './process-life.ts';

const OWNER_FILE = 'owner.json';

/** Writes into a temporary folder whose it is, so that a later program can tell when nobody needs it any more. */
export function markFolder(folder: string): void {
  writeFileSync(join(folder, OWNER_FILE), JSON.stringify(markProcess()), { mode: 0o600 });
}

/** Removes the marked folders whose names begin like this and whose programs are gone: they were killed. */
export function removeAbandonedFolders(parent: string, prefix: string): void {
  const scope = processScope();
  for (const name of readdirSync(parent).filter((each) => each.startsWith(prefix))) {
    if (!isOwn(join(parent, name))) continue;
    const owner = readOwner(join(parent, name));
    if (owner !== undefined && hasDied(owner, scope)) removeIfPossible(join(parent, name));
  }
}

/** Whoever else can write into a folder can put a link into it while it is removed, and have other things removed instead. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid());
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
    // There is none, or it is just being removed.
    return undefined;
  }
}

/** What cannot be removed now is removed by a later one. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Nothing is lost by it.
  }
}
