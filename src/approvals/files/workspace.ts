import { tmpdir } from 'node:os';
import { sep } from 'node:path';
import { namesOfPath } from './file-guard.ts';

export const OUTSIDE_RULE = 'write outside the working directory';

/** Folders in which anyone may leave a file. */
export function temporaryFolders(): string[] {
  return [...new Set(['/tmp', '/var/tmp', '/private/tmp', '/dev/shm', tmpdir()].flatMap(namesOfPath))];
}

/** Whether an absolute path lies in the working directory, in a temporary folder or in one the person named. */
export function isInWorkspace(path: string, folders: readonly string[]): boolean {
  if (/^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+|full|zero)$/.test(path)) return true;
  return folders.some((folder) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
}
