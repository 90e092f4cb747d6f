import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExitTasks } from '../exit-tasks.ts';

/** The path of a socket has at most about 100 characters, and ssh puts some behind its name for a while. */
const LONGEST_TEMPORARY = 60;

/** The socket of a connection, in a private folder that is made when it is first needed. */
export type SshSocket = {
  path(): string;
  isMade(): boolean;
  remove(): void;
};

/** `onLeave` ends the connection where the program leaves in the middle; the folder goes by itself. */
export function createSshSocket(exitTasks: ExitTasks, onLeave: () => void): SshSocket {
  let folder: string | undefined;
  const remove = () => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    folder = undefined;
    exitTasks.remove(leave);
  };
  function leave(): void {
    onLeave();
    remove();
  }
  return {
    path() {
      if (folder === undefined) {
        folder = mkdtempSync(join(tmpdir().length <= LONGEST_TEMPORARY ? tmpdir() : '/tmp', 'hermes-ssh-'));
        exitTasks.add(leave);
      }
      return join(folder, 's');
    },
    isMade: () => folder !== undefined,
    remove,
  };
}
