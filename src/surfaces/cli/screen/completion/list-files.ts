import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** So many names are looked at, in as many folders as that takes: a home folder must not hold up whoever types. */
const MOST_NAMES = 20_000;

type Rules = { ignores(path: string): boolean };
type Folder = { path: string; rules: readonly { base: string; rules: Rules }[] };

/** The files and folders below a folder, nearest first, without those that `.gitignore` names; folders end with a slash. */
export async function listFiles(root: string, signal?: AbortSignal): Promise<string[]> {
  const { default: ignore } = await import('ignore');
  const found: string[] = [];
  let folders: Folder[] = [{ path: root, rules: [] }];
  while (folders.length > 0 && found.length < MOST_NAMES && !signal?.aborted) {
    const next: Folder[] = [];
    for (const folder of folders) {
      const own = await readFile(join(folder.path, '.gitignore'), 'utf8').catch(() => undefined);
      const rules =
        own === undefined ? folder.rules : [...folder.rules, { base: folder.path, rules: ignore().add(own) }];
      for (const entry of await entriesOf(folder.path)) {
        const path = join(folder.path, entry.name);
        const isFolder = entry.isDirectory();
        if (entry.name === '.git' || isIgnored(path, isFolder, rules)) continue;
        found.push(relative(root, path).replaceAll(sep, '/') + (isFolder ? '/' : ''));
        if (isFolder) next.push({ path, rules });
      }
      if (found.length >= MOST_NAMES) break;
    }
    folders = next;
  }
  return found.slice(0, MOST_NAMES);
}

/** A folder that cannot be read has nothing to offer. */
async function entriesOf(path: string) {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function isIgnored(path: string, isFolder: boolean, rules: Folder['rules']): boolean {
  return rules.some(({ base, rules: own }) => {
    const below = relative(base, path).replaceAll(sep, '/');
    return own.ignores(isFolder ? `${below}/` : below);
  });
}
