import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

const ENDINGS = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];

/** Whether a program would be found when it is started by this name. */
export function findProgram(program: string, path: string | undefined): boolean {
  const hasFolder = isAbsolute(program) || program.includes('/');
  const folders = hasFolder ? [''] : (path ?? '').split(delimiter).filter(Boolean);
  return folders.some((folder) => ENDINGS.some((ending) => canRun(resolve(join(folder, `${program}${ending}`)))));
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
