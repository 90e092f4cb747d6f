import { isAbsolute, relative, sep } from 'node:path';

/** Whether an absolute path is a folder or lies in it, as the paths are written: links are for the caller to follow. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
