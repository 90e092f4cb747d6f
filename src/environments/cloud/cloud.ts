import { join } from 'node:path';
import { HermesError } from '../../base/index.ts';
import type { Environment } from '../../contracts/index.ts';
import { childEnvironment } from '../child-environment.ts';
import { createCloudConnection, textOf } from './cloud-connection.ts';
import { explainCloud } from './cloud-errors.ts';
import { endWithoutUs } from './cloud-leaving.ts';
import type { CloudRules, CloudService } from './cloud-service.ts';
import { type ContainerLeases, createContainerLeases } from '../containers/container-leases.ts';
import { nameContainer } from '../containers/container-name.ts';
import { createExitTasks, type ExitTasks } from '../exit-tasks.ts';
import { createRemoteEnvironment } from '../remote/remote-environment.ts';
import { reachMachine } from '../remote/remote-machine.ts';

/** Making one may fetch an image of a gigabyte first. */
const CREATE_MS = 900_000;

export type CloudOptions = Omit<CloudRules, 'name' | 'folder' | 'createMs'> & {
  backend: 'modal' | 'daytona';
  /** The folder of this machine to which the container belongs; nothing of it is seen inside. */
  workingDirectory: string;
  /** Where commands begin inside. */
  directory?: string | undefined;
  /** Whether what runs in there goes on when the program leaves. */
  keepsBackground?: boolean | undefined;
  home: string;
  /** Those of the person, with the keys of the services. */
  variables: Readonly<Record<string, string | undefined>>;
  passedVariables?: readonly string[] | undefined;
  exitTasks?: ExitTasks | undefined;
  createMs?: number | undefined;
};

/** A container that runs at a service of the network. */
export async function createCloudEnvironment(options: CloudOptions): Promise<Environment> {
  const { backend, home, persistent, image } = options;
  const name = nameContainer({ ...options, rules: rulesOf(options) });
  const leases = createContainerLeases(join(home, 'containers', backend));
  const explain = (errors: string) => explainCloud({ backend, image, name, home }, errors);
  const service = await createService(options, name, leases.folderOf(name)).catch((thrown: unknown) => {
    throw thrown instanceof HermesError ? thrown : explain(textOf(thrown));
  });
  await endAbandoned(service, leases, name);
  const lease = leases.take(name, persistent);
  const goesOn = options.keepsBackground === true && persistent;
  const exitTasks = options.exitTasks ?? createExitTasks();
  const runs: (readonly string[])[] = [];
  const endNow = () => {
    const isLast = lease.release();
    const stays = !isLast || goesOn;
    if (stays && runs.length === 0) return;
    // Until it is ended it is one that a program left.
    if (!stays) leases.take(name, persistent);
    const ending = stays ? 'goes on' : persistent ? 'keep' : 'remove';
    endWithoutUs(service.leaving, { name, folder: leases.folderOf(name), ending, runs });
  };
  // Before all commands in it: what is added later is done first.
  exitTasks.add(endNow);
  const connection = createCloudConnection({
    service,
    explain,
    variables: passedOn(options),
    onLeave: (words) => void runs.push(words),
    async onClose() {
      exitTasks.remove(endNow);
      const ends = lease.release() && !goesOn;
      if (ends)
        await endContainer(service, leases, { name, keeps: persistent }).catch(() => leases.take(name, persistent));
      await service.close();
    },
  });
  const machine = await reachMachine(connection, `The container ${name}`, options.directory ?? '~');
  return createRemoteEnvironment(machine, describe(options, machine.system, name), exitTasks);
}

async function createService(options: CloudOptions, name: string, folder: string): Promise<CloudService> {
  const env = childEnvironment(process.env);
  const rules = { ...options, name, folder, env, createMs: options.createMs ?? CREATE_MS };
  if (options.backend === 'modal') return (await import('./modal-service.ts')).createModalService(rules);
  return (await import('./daytona-service.ts')).createDaytonaService(rules);
}

type Ending = { name: string; keeps: boolean };

async function endContainer(service: CloudService, leases: ContainerLeases, { name, keeps }: Ending): Promise<void> {
  await service.end(name, leases.folderOf(name), keeps);
  if (!keeps) leases.forget(name);
}

/** Ends what programs left that were killed. Where the service does not answer, the next use says why. */
async function endAbandoned(service: CloudService, leases: ContainerLeases, except: string): Promise<void> {
  const left = leases.abandoned().filter(({ name }) => name !== except);
  const ends = left.map((ending) =>
    endContainer(service, leases, ending).catch(() => leases.take(ending.name, ending.keeps)),
  );
  await Promise.all(ends);
}

function passedOn({ passedVariables = [], variables }: CloudOptions): Record<string, string> {
  const pairs = passedVariables.flatMap((name) => {
    const value = variables[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(pairs);
}

/** What makes one container another than the next. */
function rulesOf({ workingDirectory, image, cpu, memory, disk, network, home }: CloudOptions): unknown[] {
  return [home, workingDirectory, image, network, cpu ?? 0, memory ?? 0, disk ?? 0];
}

function describe({ backend, image, network }: CloudOptions, system: string, name: string) {
  return {
    name: backend,
    place: `${backend} ${name}`,
    isolated: true,
    system: `${system} in a container of the image ${image}, at ${backend}${network ? '' : ', without network'}`,
  };
}
