import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';

/** So many names are looked at, in as many folders as that takes: a home folder must not hold up whoever types. */
const MOST_NAMES = 20_000;
/** After so many of them whoever types comes first. */
const NAMES_IN_A_ROW = 500;
/** What is larger is no list of patterns that anybody wrote. */
const LARGEST_RULES = 1_000_000;

type Rules = { ignores(path: string): boolean };
type Folder = { path: string; rules: readonly { base: string; rules: Rules }[] };

/** The files and folders below a folder, nearest first, without those that `.gitignore` names; folders end with a slash. */
export async function listFiles(root: string, signal?: AbortSignal, most = MOST_NAMES): Promise<string[]> {
  const { default: ignore } = await import('ignore');
  const found: string[] = [];
  let folders: Folder[] = [{ path: root, rules: [] }];
  while (folders.length > 0 && found.length < most && !signal?.aborted) {
    const next: Folder[] = [];
    for (const folder of folders) {
      if (found.length >= most || signal?.aborted) break;
      const entries = await entriesOf(folder.path);
      const own = await rulesIn(folder.path, entries);
      const rules =
        own === undefined ? folder.rules : [...folder.rules, { base: folder.path, rules: ignore().add(own) }];
      for (const [index, entry] of entries.entries()) {
        if (index % NAMES_IN_A_ROW === NAMES_IN_A_ROW - 1) await setImmediate();
        if (found.length >= most || signal?.aborted) break;
        const path = join(folder.path, entry.name);
        const isFolder = entry.isDirectory();
        if (entry.name === '.git' || isIgnored(path, isFolder, rules)) continue;
        found.push(relative(root, path).replaceAll(sep, '/') + (isFolder ? '/' : ''));
        if (isFolder) next.push({ path, rules });
      }
    }
    folders = next;
  }
  return found;
}

/** As git does it, only from a plain file: a link could lead to a device that never ends. */
async function rulesIn(folder: string, entries: readonly Dirent[]): Promise<string | undefined> {
  if (!entries.some((entry) => entry.name === '.gitignore' && entry.isFile())) return undefined;
  const file = join(folder, '.gitignore');
  const size = await stat(file).then(
    (found) => found.size,
    () => Number.POSITIVE_INFINITY,
  );
  return size > LARGEST_RULES ? undefined : readFile(file, 'utf8').catch(() => undefined);
}

/** A folder that cannot be read has nothing to offer. */
async function entriesOf(path: string): Promise<Dirent[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function isIgnored(path: string, isFolder: boolean, rules: Folder['rules']): boolean {
  return rules.some(({ base, rules: own }) => {
    const below = relative(base, path).replaceAll(sep, '/');
    return own.ignores(isFolder ? `${below}/` : below);
  });
}
