import { statSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileStat } from '../contracts/index.ts';
import type { TextScan } from '../scanning/index.ts';
import type { ProjectFiles } from './project/project-files.ts';
import { type ContextFile, readContextFile } from './project/read-context-file.ts';

/** The person's own words for who the agent is; looked at like any other file, because others may have written it. */
export async function readSoul(
  home: string,
  warn: (message: string) => void,
  scan?: TextScan,
): Promise<ContextFile | undefined> {
  const path = join(home, 'SOUL.md');
  const options = { files: homeFiles, root: '/', limit: undefined, shownAs: 'SOUL.md', scan, warn };
  return readContextFile(path, options);
}

/** The home is always on this machine, wherever the agent works. */
const homeFiles: ProjectFiles = {
  readFile: (path) => readFile(path),
  stat: async (path) => statHere(path),
  list: async () => [],
  resolvePath: (path) => realpath(path),
};

/** Most of what is looked for is not there, and finding that out at once is many times cheaper than waiting for it. */
export function statHere(path: string): FileStat | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const kind = found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
  return { kind, size: found.size, modifiedMs: found.mtimeMs };
}
