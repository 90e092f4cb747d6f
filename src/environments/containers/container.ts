import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../contracts/index.ts';
import { withFileLock } from '../../util/index.ts';
import { childEnvironment } from '../child-environment.ts';
import { createExitTasks, type ExitTasks } from '../exit-tasks.ts';
import { type ConnectingProgram, connectWithProgram } from '../remote/connecting-program.ts';
import type { RemoteConnection } from '../remote/remote-connection.ts';
import { connectToMachine, createRemoteEnvironment } from '../remote/remote-environment.ts';
import { STDIN_DRAINING_SCRIPT, waitingForInput } from '../remote/remote-scripts.ts';
import { type ProgramResult, runProgram } from '../run-program.ts';
import { createApptainerEngine, passedThroughEngine } from './apptainer-engine.ts';
import {
  type ContainerEngine,
  type ContainerRules,
  chooseEngine,
  type EngineChoice,
  findEngines,
} from './container-engine.ts';
import { type ContainerLeases, createContainerLeases, nameContainer } from './container-leases.ts';
import { createDockerEngine } from './docker-engine.ts';

/** Creating a container may download a large image first. */
const CREATE_MS = 900_000;
/** Timeout for inspecting, stopping or starting a container. */
const ANSWER_MS = 60_000;
/** Timeout for choosing one of several engines. */
const CHOOSE_MS = 10_000;
/** Timeout for a file operation or another short script, so that an engine that hangs is noticed. */
const RUN_MS = 600_000;
const END_MS = 20_000;
/** The exit code of a program that `runProgram` killed. */
const KILLED = -1;
/** How long an exiting Hermes waits for the engine. */
const EXIT_TIMEOUT_MS = 5000;

export type ContainerOptions = Omit<ContainerRules, 'folder' | 'variables'> & {
  backend: 'docker' | 'singularity';
  /** The engine by name or path, instead of the first one in PATH. */
  program?: string | undefined;
  /** The local working directory, visible inside only if `mountsWorkingDirectory` is set. */
  workingDirectory: string;
  mountsWorkingDirectory: boolean;
  /** The directory inside in which commands start. */
  directory?: string | undefined;
  /** Whether the content is kept for the next invocation. */
  persistent: boolean;
  /** Whether processes inside keep running when Hermes exits. */
  keepsBackground?: boolean | undefined;
  /** How long a background process may take to start. */
  startTimeoutMs?: number | undefined;
  /** The home directory of Hermes, in which the container leases are stored. */
  home: string;
  env?: Readonly<Record<string, string | undefined>>;
  passedVariables?: readonly string[] | undefined;
  exitTasks?: ExitTasks | undefined;
};

const CHOICES = {
  docker: {
    backend: 'docker',
    programs: ['docker', 'podman'],
    install: 'Install one, for example with "apt install podman", or set terminal.container_engine to its path.',
  },
  singularity: {
    backend: 'singularity',
    programs: ['apptainer', 'singularity'],
    install: 'Install one (https://apptainer.org), or set terminal.container_engine to its path.',
  },
} as const satisfies Record<string, EngineChoice>;

/** Creates the environment of a local container, which is accessed through the command line of an engine. */
export async function createContainerEnvironment(options: ContainerOptions): Promise<Environment> {
  const env = childEnvironment(options.env ?? process.env, options.passedVariables);
  const choice = CHOICES[options.backend];
  const programs = options.program === undefined ? choice.programs : [options.program];
  const found = findEngines({ ...choice, programs }, env['PATH']);
  const name = nameContainer({ ...options, rules: rulesOf(options) });
  const leases = createContainerLeases(join(options.home, 'containers', options.backend));
  const engines = found.map((program) => createEngine(options, program, leases.folderOf(name)));
  const ask = (asked: ContainerEngine, args: readonly string[]) =>
    runProgram(asked.program, args, { env, timeoutMs: CHOOSE_MS });
  const engine = await chooseEngine(engines, name, ask);
  await endAbandoned({ engine, leases, env, except: name });
  const lease = leases.take(name, options.persistent);
  const exitTasks = options.exitTasks ?? createExitTasks();
  const ending = {
    engine,
    leases,
    env,
    name,
    removes: !options.persistent,
    keepsRunning: options.keepsBackground === true,
  };
  const endNow = () => {
    if (lease.release()) endContainerNow(ending);
  };
  // Added before the tasks of commands, because exit tasks run in reverse order.
  exitTasks.add(endNow);
  const connection = createContainerConnection({
    engine,
    name,
    env: { ...env, ...passedThroughEngine(env, options.passedVariables ?? []) },
    lockFile: join(leases.folderOf(name), 'making'),
    startTimeoutMs: options.startTimeoutMs,
    async onClose() {
      exitTasks.remove(endNow);
      if (lease.release()) await endContainer(ending);
    },
  });
  const usual = options.mountsWorkingDirectory ? '/workspace' : engine.directory;
  // Not every engine creates the initial directory.
  const makes = options.directory === undefined;
  const machine = await connectToMachine(connection, `The container ${name}`, options.directory ?? usual, makes);
  return createRemoteEnvironment(machine, describeContainer(options, machine.system, name), exitTasks);
}

function createEngine(options: ContainerOptions, program: string, folder: string): ContainerEngine {
  const image = options.image.replace(/^~(?=\/)/, homedir());
  const rules = { ...options, image, volumes: volumesOf(options), variables: options.passedVariables ?? [], folder };
  return options.backend === 'docker' ? createDockerEngine(program, rules) : createApptainerEngine(program, rules);
}

function volumesOf({ volumes, mountsWorkingDirectory, workingDirectory }: ContainerOptions): string[] {
  const named = volumes.map((volume) => volume.replace(/^~(?=[/:])/, homedir()));
  return [...(mountsWorkingDirectory ? [`${workingDirectory}:/workspace`] : []), ...named];
}

/** The settings that distinguish one container from another. */
function rulesOf(options: ContainerOptions): unknown[] {
  const { workingDirectory, image, cpu, memory, disk, network, extraArguments, home } = options;
  return [home, workingDirectory, volumesOf(options), image, network, extraArguments, cpu ?? 0, memory ?? 0, disk ?? 0];
}

function describeContainer(options: ContainerOptions, system: string, name: string) {
  const { backend, image, network } = options;
  const limits = network ? '' : ', without network access';
  return {
    name: backend,
    location: `${backend} ${name}`,
    system: `${system} in a container with the image ${image}${limits}`,
    // Mounted folders belong to the host, and extra arguments may give any access to it.
    isolated: volumesOf(options).length === 0 && options.extraArguments.length === 0,
  };
}

type ContainerConnectionOptions = {
  engine: ContainerEngine;
  name: string;
  env: Record<string, string>;
  /** The lock file that is held while the container is created. */
  lockFile: string;
  startTimeoutMs: number | undefined;
  /** Called when the container is no longer needed. */
  onClose(): Promise<void>;
};

/** A connection into a container, which is created or started on first use. */
function createContainerConnection(options: ContainerConnectionOptions): RemoteConnection {
  const { engine, name, env } = options;
  const { program } = engine;
  const call = (args: readonly string[], timeoutMs = ANSWER_MS) => runProgram(program, args, { env, timeoutMs });
  let opening: Promise<void> | undefined;
  let wasUp = false;

  const isDocker = engine.backend === 'docker';
  // With podman, a command that prints much before its output is forwarded hangs forever. So each script waits for a
  // first line of input, because podman starts to forward input and output at the same time.
  const firstInput = isDocker ? '\n' : undefined;
  const args: ConnectingProgram['args'] = (script, parameters, { shell = '/bin/sh', terminal = false } = {}) => {
    const text = firstInput === undefined || terminal ? script : waitingForInput(script);
    return [...engine.execute(name, terminal), shell, '-c', text, shell, ...parameters];
  };
  const connection: RemoteConnection = {
    // Docker reads the terminal size before it listens for changes, so a resize in between would be lost.
    ...connectWithProgram({ program, env, args, endsWithTerminal: false, mayMissResize: isDocker, firstInput }),
    waitsForOrphans: isDocker,
    startTimeoutMs: options.startTimeoutMs,
    async open() {
      opening ??= ensureRunning({ engine, name, call, lockFile: options.lockFile, again: wasUp });
      // The next call retries.
      await opening.catch((thrown: unknown) => {
        opening = undefined;
        throw thrown;
      });
      wasUp = true;
    },
    async run(script, parameters, input) {
      for (let attempt = 1; ; attempt++) {
        await connection.open();
        const words =
          input === undefined ? args(script, parameters) : args(STDIN_DRAINING_SCRIPT, [script, ...parameters]);
        const given = { env, input: joinInputs(firstInput, input), timeoutMs: RUN_MS };
        const result = await runProgram(program, words, given);
        if (result.code === KILLED) throw engine.explain(result.errors, name);
        if (!engine.hasFailed(result.code, result.errors)) return result;
        if (attempt === 2) throw engine.explain(result.errors, name);
        // The container was stopped. All these scripts can safely be run twice.
        connection.forget?.();
      }
    },
    hasFailed: engine.hasFailed,
    forget: () => (opening = undefined),
    explain: (errors) => engine.explain(errors, name),
    close: options.onClose,
  };
  return connection;
}

function joinInputs(first: string | undefined, input: Uint8Array | undefined): Uint8Array | undefined {
  if (first === undefined) return input;
  return Buffer.concat([Buffer.from(first), input ?? Buffer.alloc(0)]);
}

type Call = (args: readonly string[], timeoutMs?: number) => Promise<ProgramResult>;

type Container = { engine: ContainerEngine; name: string; call: Call };

/** Uses the existing container, starts it, or creates it. */
async function ensureRunning(container: Container & { lockFile: string; again: boolean }): Promise<void> {
  // If two processes create a container of the same name concurrently, Apptainer keeps neither and leaves
  // an orphaned process that none of its commands can find.
  await withFileLock(container.lockFile, () => findOrCreate(container), { timeoutMs: CREATE_MS });
}

async function findOrCreate(container: Container & { again: boolean }): Promise<void> {
  const { engine, name, call, again } = container;
  if ((await startIfStopped(container)) === 'running') return;
  // Replacing a container that held data with a new one would hide the loss.
  if (again && engine.start !== undefined) throw engine.explain(`no such container: ${name}`, name);
  const made = await call(engine.create(name), CREATE_MS);
  if (made.code === 0) return;
  // Another process may have created the container at the same moment, if the lock timed out.
  const isThere = /already in use|already exists/i.test(made.errors);
  if (isThere && (await startIfStopped(container)) === 'running') return;
  // A container that cannot be started would otherwise be reused the next time.
  if (!isThere && engine.remove !== undefined) await call(engine.remove(name)).catch(() => undefined);
  throw engine.explain(made.errors, name);
}

async function startIfStopped({ engine, name, call }: Container): Promise<'running' | 'missing'> {
  const answer = await call(engine.askState(name));
  const state = engine.readState(answer);
  if (state === undefined) throw engine.explain(answer.errors, name);
  if (state !== 'stopped' || engine.start === undefined) return state === 'running' ? 'running' : 'missing';
  const started = await call(engine.start(name));
  if (started.code !== 0) throw engine.explain(started.errors, name);
  return 'running';
}

type ContainerEnding = {
  engine: ContainerEngine;
  leases: ContainerLeases;
  env: Record<string, string>;
  name: string;
  /** The container is removed with everything in it. */
  removes: boolean;
  /** Processes in the container keep running after Hermes exits. */
  keepsRunning: boolean;
};

/** How to end a container; undefined if it keeps running. */
function endingOf({ engine, name, removes, keepsRunning }: ContainerEnding): string[] | undefined {
  if (keepsRunning && !removes) return undefined;
  return removes ? (engine.remove ?? engine.stop)(name) : engine.stop(name);
}

/** Ends an unused container. A container that no longer exists is not an error. */
async function endContainer(ending: ContainerEnding): Promise<void> {
  const args = endingOf(ending);
  if (args === undefined) return;
  const { engine, env, leases, name } = ending;
  await runProgram(engine.program, args, { env, timeoutMs: END_MS }).catch(() => undefined);
  if (ending.removes) leases.forget(name);
}

/** Ends an unused container synchronously, for the exit handler. */
function endContainerNow(ending: ContainerEnding): void {
  const args = endingOf(ending);
  if (args === undefined) return;
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  spawnSync(ending.engine.program, args, { env: ending.env, stdio: 'ignore', timeout: EXIT_TIMEOUT_MS });
  if (ending.removes) ending.leases.forget(ending.name);
}

type Abandoned = Pick<ContainerEnding, 'engine' | 'leases' | 'env'> & { except: string };

/** Ends the containers of killed processes, except the one that is about to be used. */
async function endAbandoned({ except, ...parts }: Abandoned): Promise<void> {
  const left = parts.leases.abandoned().filter(({ name }) => name !== except);
  const ends = left.map(({ name, keeps }) => endContainer({ ...parts, name, removes: !keeps, keepsRunning: false }));
  await Promise.all(ends);
}
