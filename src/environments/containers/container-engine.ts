import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, HermesError } from '../../base/index.ts';
import type { ProgramResult } from '../run-program.ts';

/** Lines that do not describe the error. */
const BESIDE = /^See '|^Run '|--help|^\S*(?:INFO|WARNING) *:|^time=\S+ level=(?:info|warning) /;

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

type Subject = { engine: string; backend: string; image: string; name: string };

const imageKey = ({ backend }: Subject) => `terminal.${backend}_image`;

function causes(subject: Subject): readonly Cause[] {
  const { engine, image, name } = subject;
  const fetched = `${engine} pull ${image}`;
  return [
    [
      /permission denied.*(?:socket|sock)|dial unix.*permission denied/i,
      'you may not use it',
      'Join the group that may (for docker: "usermod -aG docker YOU", then log in again), or install podman, which needs no rights, and set terminal.container_engine to podman.',
    ],
    [
      /cannot connect to|is the docker daemon running|error during connect|daemon is not running/i,
      'it is not running',
      engine === 'podman'
        ? 'A service of podman is asked for, by CONTAINER_HOST or by "podman system connection". Start it, or unset that.'
        : `Start it, for example with "systemctl start ${engine}", or set terminal.container_engine to podman, which needs no service.`,
    ],
    [
      /dial tcp|connection refused|no such host|i\/o timeout|TLS handshake|network is unreachable|context deadline/i,
      `the image ${image} is not here and its registry cannot be reached`,
      `Fetch it where there is a network ("${fetched}"), or set ${imageKey(subject)} to an image that is here.`,
    ],
    [
      /no such image|unable to find image|manifest|pull access denied|not found in registry|image not known|short-name|could not open image|unauthorized/i,
      `there is no image ${image}`,
      `Check ${imageKey(subject)}, and try "${fetched}".`,
    ],
    [
      /storage-opt|storage option/i,
      'its storage cannot limit the disk of a container',
      'Remove terminal.container_disk.',
    ],
    [
      /cgroup/i,
      'it cannot limit what a container takes',
      'Remove terminal.container_cpu and terminal.container_memory, or allow control groups for your user.',
    ],
    [/range of cpus/i, 'this machine has fewer processors', 'Lower terminal.container_cpu.'],
    [
      /exec: "[^"]*": /i,
      `the image ${image} has no shell`,
      `Set ${imageKey(subject)} to an image with a POSIX shell and the usual small programs.`,
    ],
    [
      /mount|volume|bind source|no such file or directory/i,
      'a folder cannot be shown to it',
      'Check terminal.docker_volumes: folder:folder inside, with ":ro" at the end for one that is only read.',
    ],
    [
      /no such container|no container with name|is not running|no instance found|state improper/i,
      `the container ${name} is gone`,
      'Somebody has ended it. What it held may be lost; start again, and a new one is made.',
    ],
    [
      /namespace|setuid|operation not permitted/i,
      'the system does not let it make containers',
      'Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0.',
    ],
  ];
}

/** Turns an engine's error output into an error with a hint. Only the line with the cause is shown. */
export function explainEngine(subject: Subject, errors: string): HermesError {
  const lines = errors
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '' && !BESIDE.test(line));
  const isSaid = ([pattern]: Cause) => lines.some((line) => pattern.test(line));
  const [pattern, what, hint] = causes(subject).find(isSaid) ?? unknown(subject, lines.length);
  const text = lines.findLast((line) => pattern.test(line)) ?? lines.at(-1);
  const said = text === undefined ? '' : ` (${text.trim()})`;
  return new HermesError(`No container of ${subject.engine}: ${what}${said}.`, { hint });
}

/** An engine that printed nothing timed out. */
function unknown({ engine }: Subject, lineCount: number): Cause {
  return [/^/, lineCount === 0 ? 'it gave no answer' : 'it failed', `Try "${engine} version" by hand.`];
}
