import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment, PrivateFolder } from '../../contracts/index.ts';
import { operatingSystem } from '../../util/index.ts';
import { childEnvironment } from '../child-environment.ts';
import { createExitTasks, type ExitTasks } from '../exit-tasks.ts';
import type { Confinement } from './confinement.ts';
import { createLocalFiles } from './local-files.ts';
import { createShellHost } from './shell-host.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export type LocalEnvironmentOptions = {
  workingDirectory: string;
  /** The environment variables before secrets are removed; those of this process by default. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** What confined commands can reach; without it they run like all others. */
  confinement?:
    | { network: boolean; hidden(): readonly string[]; addedFolders?: readonly string[] | undefined }
    | undefined;
  /** Names of variables that commands receive although they look like secrets. */
  passedVariables?: readonly string[] | undefined;
  /** Shared by all environments of a process; a new one by default. */
  exitTasks?: ExitTasks | undefined;
};

/** The local machine, as the user who runs Hermes. */
export function createLocalEnvironment(options: LocalEnvironmentOptions): Environment {
  const workingDirectory = resolve(options.workingDirectory);
  // Computed once, because doing it for each command would take longer than some commands.
  const env = childEnvironment(options.env ?? process.env, options.passedVariables);
  const shell = findShell();
  const exitTasks = options.exitTasks ?? createExitTasks();
  const folders = new Set<string>();
  const { folders: shellFolders, ...commands } = createShellHost({
    workingDirectory,
    shell,
    env,
    exitTasks,
    localDirectories: true,
    confinement: async () => {
      const found = await confinement?.();
      return found !== undefined && 'wrapper' in found ? found.wrapper : undefined;
    },
  });
  let opened: Promise<Confinement> | undefined;
  const { confinement: wanted } = options;
  // Tested once, when the first confined command needs it.
  const confinement =
    wanted &&
    (() =>
      (opened ??= import('./confinement.ts').then(({ openConfinement }) =>
        openConfinement({
          workingDirectory,
          network: wanted.network,
          hidden: wanted.hidden(),
          addedFolders: wanted.addedFolders,
          env,
          exitTasks,
          stateFolder: () => shellFolders().given,
          folders: () => [...folders],
        }),
      )));
  return {
    name: 'local',
    location: 'local',
    workingDirectory,
    shell,
    system: operatingSystem(),
    isolated: false,
    localFiles: true,
    ...(confinement && {
      async confinementProblem() {
        const isFirst = opened === undefined;
        const found = await confinement();
        return 'problem' in found ? { reason: found.problem, isFirst } : undefined;
      },
    }),
    newFolder() {
      const made = asPrivateFolder(makeTemporaryFolder(PRIVATE_FOLDER), exitTasks);
      folders.add(made.path);
      return {
        path: made.path,
        remove() {
          folders.delete(made.path);
          made.remove();
        },
      };
    },
    ...commands,
    async close() {
      const found = await opened?.catch(() => undefined);
      if (found !== undefined && 'wrapper' in found) found.close();
      await commands.close();
    },
    ...createLocalFiles(commands.currentDirectory),
  };
}

/**
 * Finds the shell that runs commands. `$SHELL` is not used, because its syntax may differ from what models write and
 * what approvals parse.
 */
export function findShell(): string {
  return existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
}

/** The prefix of private folders. `mkdtemp` creates them with mode 0700. */
export const PRIVATE_FOLDER = 'hermes-code-';

/** Removes a folder even if Hermes exits before `remove` is called. */
export function asPrivateFolder(path: string, exitTasks: ExitTasks): PrivateFolder {
  const remove = () => {
    exitTasks.remove(remove);
    rmSync(path, { recursive: true, force: true });
  };
  exitTasks.add(remove);
  return { path, remove };
}
