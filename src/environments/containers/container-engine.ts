import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, type HermesError } from '../../base/index.ts';
import type { ProgramResult } from '../run-program.ts';

/** How a container is made, `terminal.container_*`, `docker_*` and `singularity_image`. */
export type ContainerRules = {
  image: string;
  /** Processors, and megabytes of memory and disk; what is not given is the engine's choice, or our default. */
  cpu?: number | undefined;
  memory?: number | undefined;
  disk?: number | undefined;
  network: boolean;
  /** `folder:folder inside[:ro]`, folders of this machine. */
  volumes: readonly string[];
  /** More arguments for the engine when it makes a container. */
  extraArguments: readonly string[];
  /** Names of variables that commands get; the engine has them in its own. */
  variables: readonly string[];
  /** Where a folder of this machine is kept for it, for engines that have no place of their own. */
  folder: string;
};

export type ContainerState = 'running' | 'stopped' | 'missing';

/** The command lines of an engine. They are data: nothing is run here. */
export interface ContainerEngine {
  readonly backend: 'docker' | 'singularity';
  readonly program: string;
  /** Where commands begin by default. */
  readonly directory: string;
  askState(name: string): string[];
  /** Undefined where the engine failed. */
  readState(answer: ProgramResult): ContainerState | undefined;
  create(name: string): string[];
  /** Lets one that was stopped go on; absent where it is made anew with what it kept. */
  start?(name: string): string[];
  /** What goes before the program inside. */
  execute(name: string, terminal: boolean): string[];
  stop(name: string): string[];
  /** Absent where nothing is left of one that was stopped. */
  remove?(name: string): string[];
  /** The engine is at fault, and not what ran inside. */
  hasFailed(code: number, errors: string): boolean;
  explain(errors: string, name: string): HermesError;
}

/** What may be in PATH, in the order in which it is taken. */
export type EngineChoice = { backend: string; programs: readonly string[]; install: string };

/** A program by its name in PATH, or by its path. */
export function findEngine({ backend, programs, install }: EngineChoice, path: string | undefined): string {
  for (const program of programs) {
    const places = program.includes('/') ? [program] : (path ?? '').split(':').filter((folder) => folder !== '');
    const files = places.map((place) => (place === program ? program : join(place, program)));
    const found = files.find(isExecutable);
    if (found !== undefined) return found;
  }
  const names = programs.join(' or ');
  throw new ConfigurationError(`terminal.backend is ${backend}, but ${names} is not installed.`, {
    hint: `${install} Or set terminal.backend to sandbox or local.`,
  });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What went wrong by words of an engine, and what to do then. */
export type Cause = readonly [pattern: RegExp, what: string, hint: string];
