import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment } from '../contracts/index.ts';
import { childEnvironment } from './child-environment.ts';
import { createLocalFiles } from './local-files.ts';
import { createRunningCommands } from './process-group.ts';
import { runCommand } from './run-command.ts';

export type LocalEnvironmentOptions = {
  workingDirectory: string;
  /** Where the variables of a command come from, before secrets are taken out; this process's by default. */
  env?: Readonly<Record<string, string | undefined>>;
};

/** This machine, as the user who runs the program. */
export function createLocalEnvironment(options: LocalEnvironmentOptions): Environment {
  const workingDirectory = resolve(options.workingDirectory);
  // Once: copying and checking it for each command would cost more than some commands do.
  const env = childEnvironment(options.env ?? process.env);
  const running = createRunningCommands();
  // $SHELL may be one that reads commands in another way than the models and the approvals do.
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
  return {
    name: 'local',
    workingDirectory,
    shell,
    isolated: false,
    currentDirectory: () => workingDirectory,
    start: () => Promise.reject(new Error('processes cannot be started here yet')),
    findProcess: async () => undefined,
    close: async () => undefined,
    run(command, commandOptions) {
      const directory = resolve(workingDirectory, commandOptions.workingDirectory ?? '.');
      return runCommand(command, commandOptions, { shell, workingDirectory: directory, env, running });
    },
    ...createLocalFiles(workingDirectory),
  };
}
