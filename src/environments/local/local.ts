import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment, PrivateFolder } from '../../contracts/index.ts';
import { childEnvironment } from '../child-environment.ts';
import { createExitTasks, type ExitTasks } from '../exit-tasks.ts';
import { createLocalFiles } from './local-files.ts';
import { createShellHost } from './shell-host.ts';

export type LocalEnvironmentOptions = {
  workingDirectory: string;
  /** Where the variables of a command come from, before secrets are taken out; this process's by default. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Names of variables that commands get although they look like secrets. */
  passedVariables?: readonly string[] | undefined;
  /** Shared by all environments of a program; one of its own by default. */
  exitTasks?: ExitTasks | undefined;
};

/** This machine, as the user who runs the program. */
export function createLocalEnvironment(options: LocalEnvironmentOptions): Environment {
  const workingDirectory = resolve(options.workingDirectory);
  // Once: copying and checking it for each command would cost more than some commands do.
  const env = childEnvironment(options.env ?? process.env, options.passedVariables);
  const shell = findShell();
  const exitTasks = options.exitTasks ?? createExitTasks();
  const { folder: _, ...commands } = createShellHost({
    workingDirectory,
    shell,
    env,
    exitTasks,
    seesDirectories: true,
  });
  return {
    name: 'local',
    place: 'local',
    workingDirectory,
    shell,
    system: process.platform,
    isolated: false,
    newFolder: () => makePrivateFolder(realpathSync(tmpdir()), exitTasks),
    ...commands,
    ...createLocalFiles(commands.currentDirectory),
  };
}

/** $SHELL may be one that reads commands in another way than the models and the approvals do. */
export function findShell(): string {
  return existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
}

/** Creates a private temporary folder that is also removed when Hermes exits before `remove` is called. */
export function makePrivateFolder(inside: string, exitTasks: ExitTasks): PrivateFolder {
  // `mkdtemp` creates it with mode 0700.
  const path = mkdtempSync(join(inside, 'hermes-code-'));
  const remove = () => {
    exitTasks.remove(remove);
    rmSync(path, { recursive: true, force: true });
  };
  exitTasks.add(remove);
  return { path, remove };
}
