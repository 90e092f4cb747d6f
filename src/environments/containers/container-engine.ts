import { accessSync, constants } from 'node:fs';
import { basename, join } from 'node:path';
import { ConfigurationError, errorMessage, HermesError } from '../../base/index.ts';
import type { ProgramResult } from '../run-program.ts';

/** Lines that do not describe the error. */
const NOISE = /^See '|^Run '|--help|^\S*(?:INFO|WARNING) *:|^time=\S+ level=(?:info|warning) /;

/** How to create a container, from `terminal.container_*`, `docker_*` and `singularity_image`. */
export type ContainerRules = {
  image: string;
  /** CPUs, and memory and disk in megabytes; the default is ours or the engine's. */
  cpu?: number | undefined;
  memory?: number | undefined;
  disk?: number | undefined;
  network: boolean;
  /** Bind mounts, as `folder:folder inside[:ro]`. */
  volumes: readonly string[];
  /** Additional arguments for creating a container. */
  extraArguments: readonly string[];
  /** Names of variables to pass to commands; the engine takes their values from its own environment. */
  variables: readonly string[];
  /** A local folder for the container, for engines that do not manage their own storage. */
  folder: string;
};

export type ContainerState = 'running' | 'stopped' | 'missing';

/** The command lines of a container engine, as data. */
export interface ContainerEngine {
  readonly backend: 'docker' | 'singularity';
  readonly program: string;
  /** The default directory of commands. */
  readonly directory: string;
  askState(name: string): string[];
  /** Undefined if the engine failed. */
  readState(answer: ProgramResult): ContainerState | undefined;
  create(name: string): string[];
  /** Starts a stopped container; absent if a new one is created from the same folder instead. */
  start?(name: string): string[];
  /** The arguments before the program to run inside. */
  execute(name: string, terminal: boolean): string[];
  stop(name: string): string[];
  /** Removes a stopped container; absent if a stopped container leaves nothing behind. */
  remove?(name: string): string[];
  /** Whether the engine failed rather than the command inside. */
  hasFailed(code: number, errors: string): boolean;
  explain(errors: string, name: string): HermesError;
}

/** The programs to search for in PATH, in order of preference. */
export type EngineChoice = { backend: string; programs: readonly string[]; install: string };

/** Finds the installed engines by name in PATH, or by path. Throws if there is none. */
export function findEngines({ backend, programs, install }: EngineChoice, path: string | undefined): string[] {
  const folders = (path ?? '').split(':').filter((folder) => folder !== '');
  const found = programs.flatMap((program) => {
    const files = program.includes('/') ? [program] : folders.map((folder) => join(folder, program));
    return files.find(isExecutable) ?? [];
  });
  if (found.length > 0) return found;
  const names = programs.join(' or ');
  throw new ConfigurationError(`terminal.backend is ${backend}, but ${names} is not installed.`, {
    hint: `${install} Or set terminal.backend to sandbox or local.`,
  });
}

/**
 * Chooses the first engine that answers: docker is often installed without its service running. A single engine is not
 * asked, because its first use reports the same error.
 */
export async function chooseEngine(
  engines: readonly ContainerEngine[],
  name: string,
  ask: (engine: ContainerEngine, args: readonly string[]) => Promise<ProgramResult>,
): Promise<ContainerEngine> {
  const [first] = engines;
  if (first !== undefined && engines.length === 1) return first;
  const errors: HermesError[] = [];
  for (const engine of engines) {
    const answer = await ask(engine, engine.askState(name)).catch((thrown: unknown) => errorMessage(thrown));
    if (typeof answer !== 'string' && engine.readState(answer) !== undefined) return engine;
    errors.push(engine.explain(typeof answer === 'string' ? answer : answer.errors, name));
  }
  const hints = errors.map(({ hint }, index) => `${basename(engines[index]?.program ?? '')}: ${hint}`);
  throw new HermesError(errors.map(({ message }) => message).join(' '), { hint: hints.join(' ') });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** An error message of an engine, its explanation, and a hint. */
export type Cause = readonly [pattern: RegExp, what: string, hint: string];

type Subject = { engine: string; backend: string; image: string; name: string };

const imageKey = ({ backend }: Subject) => `terminal.${backend}_image`;

function causes(subject: Subject): readonly Cause[] {
  const { engine, image, name } = subject;
  const fetched = `${engine} pull ${image}`;
  return [
    [
      /permission denied.*(?:socket|sock)|dial unix.*permission denied/i,
      'permission denied',
      'Join the group of the engine (for docker: "usermod -aG docker YOU", then log in again), or install podman, which needs no special permissions, and set terminal.container_engine to podman.',
    ],
    [
      /(?:cannot|unable to) connect to|is the docker daemon running|error during connect|daemon is not running|dial unix/i,
      'the engine is not running',
      engine === 'podman'
        ? 'CONTAINER_HOST or "podman system connection" selects a podman service. Start it (on macOS with "podman machine start"), or unset that.'
        : `Start it, for example with "systemctl start ${engine}", or set terminal.container_engine to podman, which needs no service.`,
    ],
    [
      /dial tcp|connection refused|no such host|i\/o timeout|TLS handshake|network is unreachable|context deadline/i,
      `the image ${image} is not available locally, and its registry cannot be reached`,
      `Pull it while the network is available ("${fetched}"), or set ${imageKey(subject)} to a local image.`,
    ],
    [
      /no space left/i,
      'the disk is full',
      `Free up disk space where ${engine} stores its images, for example with "${engine} system prune".`,
    ],
    [
      /toomanyrequests|rate limit/i,
      `the registry of the image ${image} rejects more downloads for now`,
      `Log in ("${engine} login"), try again later, or set ${imageKey(subject)} to a local image.`,
    ],
    [
      /no matching manifest|no image found in (?:manifest|image index)|exec format error/i,
      `the image ${image} was not built for the processor of this machine`,
      `Set ${imageKey(subject)} to an image for it.`,
    ],
    [
      /newuidmap|newgidmap|subuid/i,
      'this user cannot create user namespaces',
      'Install the package uidmap, and give your user ranges of ids in /etc/subuid and /etc/subgid.',
    ],
    [
      /OCI runtime .*not found|no (?:default )?OCI runtime|could not find a working (?:conmon|runtime)/i,
      'a program that the engine needs is missing',
      `Install it, or name another one in the configuration of ${engine}.`,
    ],
    [
      /no such image|unable to find image|manifest|pull access denied|not found in registry|image not known|short-name|could not open image|unauthorized/i,
      `the image ${image} was not found`,
      `Check ${imageKey(subject)}, and try "${fetched}".`,
    ],
    [/storage-opt|storage option/i, 'its storage driver cannot limit the disk size', 'Remove terminal.container_disk.'],
    [
      /cgroup/i,
      'it cannot limit the resources of a container',
      'Remove terminal.container_cpu and terminal.container_memory, or enable cgroup delegation for your user.',
    ],
    [/range of cpus/i, 'this machine has fewer CPUs', 'Lower terminal.container_cpu.'],
    [
      /exec: "\/bin\/sh": /i,
      `the image ${image} has no shell`,
      `Set ${imageKey(subject)} to an image with a POSIX shell and the usual utilities.`,
    ],
    [
      /mount|volume|bind source|statfs /i,
      'a folder could not be mounted',
      'Check terminal.docker_volumes. The format is folder:folder inside, with ":ro" at the end for read-only.',
    ],
    [
      /no such container|no container with name|is not running|no instance found|state improper/i,
      `the container ${name} no longer exists`,
      'It was stopped or removed, and its content may be lost. Restart Hermes to create a new one.',
    ],
    [
      /namespace|setuid|operation not permitted/i,
      'the system does not allow it to create containers',
      'Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0.',
    ],
  ];
}

/** Turns an engine's error output into an error with a hint. Only the line with the cause is shown. */
export function explainEngine(subject: Subject, errors: string): HermesError {
  const lines = errors
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '' && !NOISE.test(line));
  const isSaid = ([pattern]: Cause) => lines.some((line) => pattern.test(line));
  const [pattern, what, hint] = causes(subject).find(isSaid) ?? unknown(subject, lines.length);
  const text = lines.findLast((line) => pattern.test(line)) ?? lines.at(-1);
  const said = text === undefined ? '' : ` (${text.trim()})`;
  return new HermesError(`Cannot use a ${subject.engine} container: ${what}${said}.`, { hint });
}

/** The cause for an unknown error message. An engine that printed nothing timed out. */
function unknown({ engine }: Subject, lineCount: number): Cause {
  return [
    /^/,
    lineCount === 0 ? 'the engine did not respond in time' : 'the engine failed',
    `Run "${engine} version" to check the engine.`,
  ];
}
