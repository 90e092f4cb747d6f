import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../contracts/index.ts';
import { createApptainerEngine, handedOn } from './apptainer-engine.ts';
import { childEnvironment } from '../child-environment.ts';
import { createContainerConnection } from './container-connection.ts';
import { type ContainerEngine, type ContainerRules, type EngineChoice, findEngine } from './container-engine.ts';
import { endAbandoned, endContainer, endContainerNow } from './container-ending.ts';
import { createContainerLeases } from './container-leases.ts';
import { nameContainer } from './container-name.ts';
import { createDockerEngine } from './docker-engine.ts';
import { createExitTasks, type ExitTasks } from '../exit-tasks.ts';
import { createRemoteEnvironment } from '../remote/remote-environment.ts';
import { reachMachine } from '../remote/remote-machine.ts';

export type ContainerOptions = Omit<ContainerRules, 'folder' | 'variables'> & {
  backend: 'docker' | 'singularity';
  /** A program by name or path, where the first one in PATH is not meant. */
  program?: string | undefined;
  /** Of this machine; it is seen inside only where that is set. */
  workingDirectory: string;
  mountsWorkingDirectory: boolean;
  /** Where commands begin inside. */
  directory?: string | undefined;
  /** Whether what is in it is there again at the next start. */
  persistent: boolean;
  /** Whether what runs in there goes on when the program leaves. */
  keepsBackground?: boolean | undefined;
  /** Hermes's own folder, where is written down who uses which container. */
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

/** A container of this machine, through the command line of an engine. */
export async function createContainerEnvironment(options: ContainerOptions): Promise<Environment> {
  const env = childEnvironment(options.env ?? process.env, options.passedVariables);
  const choice = CHOICES[options.backend];
  const programs = options.program === undefined ? choice.programs : [options.program];
  const program = findEngine({ ...choice, programs }, env['PATH']);
  const name = nameContainer({ ...options, rules: rulesOf(options) });
  const leases = createContainerLeases(join(options.home, 'containers', options.backend));
  const engine = createEngine(options, program, leases.folderOf(name));
  await endAbandoned({ engine, leases, env, except: name });
  const lease = leases.take(name, options.persistent);
  const exitTasks = options.exitTasks ?? createExitTasks();
  const ending = { engine, leases, env, name, removes: !options.persistent, goesOn: options.keepsBackground === true };
  const endNow = () => {
    if (lease.release()) endContainerNow(ending);
  };
  // Before all commands in it: what is added later is done first.
  exitTasks.add(endNow);
  const connection = createContainerConnection({
    engine,
    name,
    env: { ...env, ...handedOn(env, options.passedVariables ?? []) },
    lockFile: join(leases.folderOf(name), 'making'),
    async onClose() {
      exitTasks.remove(endNow);
      if (lease.release()) await endContainer(ending);
    },
  });
  const usual = options.mountsWorkingDirectory ? '/workspace' : engine.directory;
  // Not every engine makes the folder in which it is to begin.
  const makes = options.directory === undefined;
  const machine = await reachMachine(connection, `The container ${name}`, options.directory ?? usual, makes);
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

/** What makes one container another than the next. */
function rulesOf(options: ContainerOptions): unknown[] {
  const { workingDirectory, image, cpu, memory, disk, network, extraArguments, home } = options;
  return [home, workingDirectory, volumesOf(options), image, network, extraArguments, cpu ?? 0, memory ?? 0, disk ?? 0];
}

function describeContainer(options: ContainerOptions, system: string, name: string) {
  const { backend, image, network } = options;
  const limits = network ? '' : ', without network';
  return {
    name: backend,
    place: `${backend} ${name}`,
    system: `${system} in a container of the image ${image}${limits}`,
    // Folders of the host are the host's; and what more was said to the engine may open any door.
    isolated: volumesOf(options).length === 0 && options.extraArguments.length === 0,
  };
}
