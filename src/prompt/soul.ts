import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectFiles } from './project/project-files.ts';
import { type ContextFile, readContextFile } from './project/read-context-file.ts';

/** The person's own words for who the agent is; looked at like any other file, because others may have written it. */
export async function readSoul(home: string, warn: (message: string) => void): Promise<ContextFile | undefined> {
  const path = join(home, 'SOUL.md');
  const options = { files: homeFiles, root: '/', limit: undefined, shownAs: 'SOUL.md', warn };
  return readContextFile(path, options);
}

/** The home is always on this machine, wherever the agent works. */
const homeFiles: ProjectFiles = {
  readFile: (path) => readFile(path),
  async stat(path) {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) return undefined;
    const kind = found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
    return { kind, size: found.size, modifiedMs: found.mtimeMs };
  },
  list: async () => [],
  resolvePath: (path) => realpath(path),
};
