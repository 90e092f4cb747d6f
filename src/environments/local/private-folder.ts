import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PrivateFolder } from '../../contracts/index.ts';
import type { ExitTasks } from '../exit-tasks.ts';

/** Makes a folder inside another one, which also goes when the program leaves in the middle of its use. */
export function makePrivateFolder(inside: string, exitTasks: ExitTasks): PrivateFolder {
  // Made with the rights of its owner alone.
  const path = mkdtempSync(join(inside, 'hermes-code-'));
  const remove = () => {
    exitTasks.remove(remove);
    rmSync(path, { recursive: true, force: true });
  };
  exitTasks.add(remove);
  return { path, remove };
}
