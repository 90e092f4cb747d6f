import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { ContextFileMode } from '../../contracts/index.ts';
import { createLocalEnvironment } from '../../environments/index.ts';
import type { ContextFile } from './read-context-file.ts';
import { findContextFiles } from './context-files.ts';
import { findGitRoot } from './project-files.ts';

/** Creates a temporary project directory for each test. */
export function useProject() {
  let top = '';
  beforeEach(async () => {
    top = await realpath(await mkdtemp(join(tmpdir(), 'hermes-project-')));
  });
  afterEach(() => rm(top, { recursive: true, force: true }));
  const at = (path: string) => join(top, path);
  return {
    at,
    async write(path: string, content: string | Uint8Array): Promise<void> {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), content);
    },
    /** Returns the context files for an agent in this directory, and the warnings. */
    async find(
      directory = '.',
      limit = 20_000,
      mode?: ContextFileMode,
    ): Promise<{ files: ContextFile[]; warnings: string[] }> {
      const warnings: string[] = [];
      const workingDirectory = at(directory);
      const files = createLocalEnvironment({ workingDirectory });
      const gitRoot = await findGitRoot(files, workingDirectory);
      const warn = (message: string) => void warnings.push(message);
      const project = { files, directory: workingDirectory, gitRoot, limit, mode, warn };
      return { files: await findContextFiles(project), warnings };
    },
  };
}
