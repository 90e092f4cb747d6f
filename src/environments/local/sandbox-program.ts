import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../../base/index.ts';
import { type ProgramOptions, type ProgramResult, runProgram } from '../run-program.ts';
import { type ProjectGuard, removeForbidden } from './project-guards.ts';
import { SANDBOX_FOLDER, type SandboxArguments, type SandboxView } from './sandbox-view.ts';
import type { ShellWrapper } from './shell-host.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** A program that runs commands in a sandbox. */
export type SandboxProgram = {
  /** Its name in messages. */
  title: string;
  file: string;
  /** The name of the process that stays around the command; undefined if the program becomes the command. */
  supervisor: string | undefined;
  /** What to do if it cannot start. */
  hint: string;
  argumentsFor(view: SandboxView): SandboxArguments;
  /** Arguments that show whether it works on this machine at all. */
  probeArguments(): string[];
  /** The arguments after those of the view, before the command that runs in a directory. */
  inDirectory(directory: string): string[];
  /** Whether it failed before it started the command. `errors` must be its own stderr. */
  hasNotRun(exitCode: number | undefined, errors: string): boolean;
  /** The private temporary folder as commands see it. */
  temporaryFolder(folder: string): string;
  /** Folders whose content is not visible or not the same in the sandbox. */
  replacedFolders(): readonly string[];
};

/** Why the sandbox cannot be used, and what to do about it. */
export type SandboxProblem = { message: string; hint: string };

/** Finds a program in a search path. */
export function findProgram(name: string, path = '/usr/bin:/bin'): string | undefined {
  const found = path.split(':').find((folder) => folder !== '' && existsSync(join(folder, name)));
  return found === undefined ? undefined : join(found, name);
}

/** Starts a sandbox with these arguments; undefined if that works. */
export async function findStartProblem(
  program: SandboxProgram,
  args: () => readonly string[],
): Promise<SandboxProblem | undefined> {
  const { code, errors } = await runSandboxed(program, args, ['/bin/sh', '-c', ':'], {});
  if (code === 0) return undefined;
  return { message: `${program.title} cannot start: ${errors.trim()}`, hint: program.hint };
}

/** An error for a configuration that requires the sandbox. */
export function sandboxError({ message, hint }: SandboxProblem): ConfigurationError {
  return new ConfigurationError(`terminal.backend is sandbox, but ${message}.`, {
    hint: `${hint} Or start with --no-sandbox, or set terminal.backend to local.`,
  });
}

/** Runs a program in the sandbox, and once more if the sandbox failed before it ran. */
export async function runSandboxed(
  { file, hasNotRun }: SandboxProgram,
  args: () => readonly string[],
  command: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  const start = () => runProgram(file, [...args(), '--', ...command], options);
  const result = await start();
  return hasNotRun(result.code, result.errors) ? start() : result;
}

/** Runs shells in a sandbox. The view is determined for each command, because folders to hide may appear. */
export function wrapShells(program: SandboxProgram, view: () => SandboxView): ShellWrapper {
  let guards: ProjectGuard[] = [];
  return {
    supervisor: program.supervisor,
    prefix(directory) {
      const { args, identity, ...sandbox } = program.argumentsFor(view());
      ({ guards } = sandbox);
      return { file: program.file, args: [...args, ...program.inDirectory(directory)], identity };
    },
    hasNotRun: program.hasNotRun,
    watchCommand() {
      const atStart = guards;
      return () => void removeForbidden(atStart);
    },
  };
}

/** Creates the folder with everything that a sandbox needs on the machine. */
export function makeSandboxFolder(): string {
  const folder = makeTemporaryFolder('hermes-sandbox-');
  const { tmp, emptyFolder, given, left } = SANDBOX_FOLDER;
  for (const name of [tmp, emptyFolder, given, left]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, SANDBOX_FOLDER.emptyFile), '');
  return folder;
}
