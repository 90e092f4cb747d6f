import { accessSync, constants, lstatSync, type Stats } from 'node:fs';
import { type BytePath, bytesOf } from './list-files.ts';

/** So many files are looked at before others get a turn. */
const AT_A_TIME = 500;

export type ChosenFiles = {
  files: BytePath[];
  /** Too large, or not ours to read. */
  leftOut: BytePath[];
  /** Nobody but their owner may read them, which git does not remember. */
  ownOnly: BytePath[];
};

/** Which of the listed files are kept. */
export async function chooseFiles(
  directory: string,
  listed: readonly BytePath[],
  options: { maxFileBytes: number; signal?: AbortSignal | undefined },
): Promise<ChosenFiles> {
  const chosen: ChosenFiles = { files: [], leftOut: [], ownOnly: [] };
  for (const [index, path] of listed.entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) {
      await new Promise(setImmediate);
      options.signal?.throwIfAborted();
    }
    const file = pathIn(directory, path);
    const stats = statsOf(file);
    if (stats === undefined) continue;
    if (stats.size > options.maxFileBytes || !isReadable(file, stats)) chosen.leftOut.push(path);
    else chosen.files.push(path);
    if (stats.isFile() && (stats.mode & 0o077) === 0) chosen.ownOnly.push(path);
  }
  return chosen;
}

/** As bytes, because names of files need not be text. */
export function pathIn(directory: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${directory}/`), bytesOf(path)]);
}

/** What lies there, links not followed; undefined where nothing does. */
export function statsOf(file: Buffer): Stats | undefined {
  try {
    return lstatSync(file);
  } catch {
    // Gone since it was listed, or in a folder that may not be entered.
    return undefined;
  }
}

function isReadable(file: Buffer, stats: Stats): boolean {
  if (!stats.isFile()) return stats.isSymbolicLink();
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
