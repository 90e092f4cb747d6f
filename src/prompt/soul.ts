import { statSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileStat } from '../contracts/index.ts';
import type { TextScan } from '../scanning/index.ts';
import type { ProjectFiles } from './project/project-files.ts';
import { type ContextFile, readContextFile } from './project/read-context-file.ts';

/**
 * Reads SOUL.md, the user's own description of the agent. It is scanned like any other file because someone else may
 * have written it.
 */
export async function readSoul(
  home: string,
  warn: (message: string) => void,
  scan?: TextScan,
): Promise<ContextFile | undefined> {
  const path = join(home, 'SOUL.md');
  const options = { files: homeFiles, root: '/', limit: undefined, displayName: 'SOUL.md', scan, warn };
  return readContextFile(path, options);
}

/** The home directory is always on this machine, even if the agent works on another one. */
const homeFiles: ProjectFiles = {
  readFile: (path) => readFile(path),
  stat: async (path) => statLocalFile(path),
  list: async () => [],
  resolvePath: (path) => realpath(path),
};

/** Synchronous, because most of these files do not exist and finding that out synchronously is much cheaper. */
export function statLocalFile(path: string): FileStat | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const kind = found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
  return { kind, size: found.size, modifiedMs: found.mtimeMs };
}
