import { dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '../../contracts/index.ts';

/** File access in the agent's environment, which may be another machine. */
export type ProjectFiles = Pick<Environment, 'readFile' | 'stat' | 'list' | 'resolvePath'>;

/** The directory and its parents, innermost first. */
export function withParents(directory: string): string[] {
  const all = [directory];
  for (let above = dirname(directory); above !== all.at(-1); above = dirname(above)) all.push(above);
  return all;
}

/** The directory that contains `.git`; undefined outside a repository. */
export async function findGitRoot(files: ProjectFiles, directory: string): Promise<string | undefined> {
  const all = withParents(directory);
  const found = await Promise.all(all.map((each) => exists(files, join(each, '.git'))));
  return all[found.indexOf(true)];
}

export async function exists(files: ProjectFiles, path: string): Promise<boolean> {
  // Permission denied counts as not found, because the file could not be read either.
  return (await files.stat(path).catch(() => undefined)) !== undefined;
}

/** The branch from `.git/HEAD`, or the short commit id of a detached HEAD. */
export async function readBranch(files: ProjectFiles, gitRoot: string): Promise<string | undefined> {
  try {
    const head = (await readStart(files, join(await gitFolder(files, gitRoot), 'HEAD'))).trim();
    // The name may be untrusted; anything that does not look like a branch name is ignored.
    const branch = /^ref: refs\/heads\/([\p{L}\p{N}._/#@+-]{1,80})$/u.exec(head)?.[1];
    return branch ?? (/^[0-9a-f]{40,64}$/.test(head) ? `none, at commit ${head.slice(0, 7)}` : undefined);
  } catch {
    return undefined;
  }
}

/** In a worktree or submodule, `.git` is a file that contains the path of the Git directory. */
async function gitFolder(files: ProjectFiles, gitRoot: string): Promise<string> {
  const path = join(gitRoot, '.git');
  if ((await files.stat(path))?.kind !== 'file') return path;
  const named = /^gitdir: (.+)$/m.exec(await readStart(files, path))?.[1]?.trim() ?? '';
  return isAbsolute(named) ? named : join(gitRoot, named);
}

async function readStart(files: ProjectFiles, path: string): Promise<string> {
  return new TextDecoder().decode(await files.readFile(path, { length: 1024 }));
}
