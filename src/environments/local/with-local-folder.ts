import { resolve, sep } from 'node:path';
import type { Environment } from '../../contracts/index.ts';
import { createLocalFiles } from './local-files.ts';

/**
 * Makes a local folder readable in an environment that cannot access it. The folder contains spill files, whose paths
 * the model receives.
 */
export function withLocalFolder(environment: Environment, folder: string): Environment {
  const local = createLocalFiles(environment.currentDirectory);
  /** Compares resolved paths, so that no link leads out of the folder. */
  async function isShared(path: string): Promise<boolean> {
    if (!resolve(path).startsWith(folder + sep) || !path.startsWith('/')) return false;
    const [real, root] = await Promise.all([local.resolvePath(path), local.resolvePath(folder)]);
    return real.startsWith(root + sep);
  }
  return {
    ...environment,
    readFile: async (path, part) => ((await isShared(path)) ? local : environment).readFile(path, part),
    stat: async (path) => ((await isShared(path)) ? local : environment).stat(path),
    resolvePath: async (path) => ((await isShared(path)) ? local : environment).resolvePath(path),
  };
}
