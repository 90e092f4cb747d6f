import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const MAX_FOLDERS = 30;
const MAX_BYTES = 100_000;

/** The hosts of the git remotes of the project that contains a folder. */
export function findRemoteHosts(folder: string): ReadonlySet<string> {
  const settings = gitSettings(folder);
  const addresses = [...settings.matchAll(/^\s*(?:push)?url\s*=\s*"?([^"\n]+)/gim)].map((found) => found[1] ?? '');
  return new Set(addresses.map(hostOfRemote).filter((host) => host !== ''));
}

/** `https://host/x`, `ssh://git@host:22/x` and `git@host:x`; a path has no host. */
function hostOfRemote(address: string): string {
  const found = /^[a-z][\w+.-]*:\/\/(?:[^@/]*@)?([^/:]+)/i.exec(address) ?? /^(?:[^@/:]+@)?([^/:]+):/.exec(address);
  return (found?.[1] ?? '').trim().toLowerCase();
}

/** The text of the git settings; empty if the folder is not in a repository. */
function gitSettings(folder: string): string {
  let current = folder;
  for (let level = 0; level < MAX_FOLDERS; level += 1) {
    const git = join(current, '.git');
    const found = textOf(join(git, 'config')) ?? settingsOfWorktree(git, current);
    if (found !== undefined) return found;
    if (dirname(current) === current) return '';
    current = dirname(current);
  }
  return '';
}

/** In a worktree, `.git` is a file that names a folder two levels below the settings. */
function settingsOfWorktree(git: string, folder: string): string | undefined {
  const named = /^gitdir:\s*(.+)$/m.exec(textOf(git) ?? '')?.[1];
  if (named === undefined) return undefined;
  const own = resolve(folder, named.trim());
  return textOf(join(own, 'config')) ?? textOf(join(own, '../../config')) ?? '';
}

function textOf(path: string): string | undefined {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry?.isFile() !== true || entry.size > MAX_BYTES) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
