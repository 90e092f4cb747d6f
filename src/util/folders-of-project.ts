import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MOST_FOLDERS_UP = 40;

/** A folder and those above it up to the root of its repository, the nearest first; without one only itself. */
export function foldersOfProject(workingDirectory: string): string[] {
  const folders = [workingDirectory];
  for (let at = workingDirectory; !existsSync(join(at, '.git')); at = dirname(at)) {
    // Outside of a repository a folder further up is somebody else's business.
    if (dirname(at) === at || folders.length > MOST_FOLDERS_UP) return [workingDirectory];
    folders.push(dirname(at));
  }
  return folders;
}
