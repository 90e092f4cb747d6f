import { join } from 'node:path';
import { HermesError } from '../../base/index.ts';
import type { Environment } from '../../contracts/index.ts';
import { childEnvironment } from '../child-environment.ts';
import type { Cause } from '../containers/container-engine.ts';
import { type ContainerLeases, createContainerLeases, nameContainer } from '../containers/container-leases.ts';
import { createExitTasks, type ExitTasks } from '../exit-tasks.ts';
import { connectToMachine, createRemoteEnvironment } from '../remote/remote-environment.ts';
import { createCloudConnection, textOf } from './cloud-connection.ts';
import { type CloudRules, type CloudService, endInDetachedProcess } from './cloud-service.ts';

/** Creating a container may download a large image first. */
const CREATE_MS = 900_000;
const KEYS = { modal: 'MODAL_TOKEN_ID and MODAL_TOKEN_SECRET', daytona: 'DAYTONA_API_KEY' };
const KEY_PAGES = { modal: 'https://modal.com/settings/tokens', daytona: 'https://app.daytona.io/dashboard/keys' };
const NO_KEY = 'no API key is set';
/** Longest part of an SDK's error message that is shown. */
const MAX_ERROR_LENGTH = 200;

export type CloudOptions = Omit<CloudRules, 'name' | 'folder' | 'createMs'> & {
  backend: 'modal' | 'daytona';
  /** The local folder that the container belongs to; it is not visible inside. */
  workingDirectory: string;
  /** The directory inside in which commands start. */
  directory?: string | undefined;
  /** Whether processes inside keep running when Hermes exits. */
  keepsBackground?: boolean | undefined;
  home: string;
  /** The user's environment variables, including the API keys. */
  variables: Readonly<Record<string, string | undefined>>;
  passedVariables?: readonly string[] | undefined;
  exitTasks?: ExitTasks | undefined;
  createMs?: number | undefined;
};

/** A container that runs at a cloud service. */
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
  const keepsRunning = options.keepsBackground === true && persistent;
  const exitTasks = options.exitTasks ?? createExitTasks();
  const runs: (readonly string[])[] = [];
  const endNow = () => {
    const isLast = lease.release();
    const stays = !isLast || keepsRunning;
    if (stays && runs.length === 0) return;
    // The lease is taken again, so that the next invocation of Hermes ends the container if the detached process
    // fails.
    if (!stays) leases.take(name, persistent);
    const ending = stays ? 'goes on' : persistent ? 'keep' : 'remove';
    endInDetachedProcess(service.exitScript, { name, folder: leases.folderOf(name), ending, runs });
  };
  // Added before the tasks of commands, because exit tasks run in reverse order.
  exitTasks.add(endNow);
  const connection = createCloudConnection({
    service,
    explain,
    variables: passedOn(options),
    onLeave: (words) => void runs.push(words),
    async onClose() {
      exitTasks.remove(endNow);
      const ends = lease.release() && !keepsRunning;
      if (ends)
        await endContainer(service, leases, { name, keeps: persistent }).catch(() => leases.take(name, persistent));
      await service.close();
    },
  });
  const machine = await connectToMachine(connection, `The container ${name}`, options.directory ?? '~');
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

/**
 * Ends the containers of killed processes. Errors are ignored here, because the next use of the service reports them.
 */
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

/** The settings that distinguish one container from another. */
function rulesOf({ workingDirectory, image, cpu, memory, disk, network, home }: CloudOptions): unknown[] {
  return [home, workingDirectory, image, network, cpu ?? 0, memory ?? 0, disk ?? 0];
}

function describe({ backend, image, network }: CloudOptions, system: string, name: string) {
  return {
    name: backend,
    location: `${backend} ${name}`,
    isolated: true,
    system: `${system} in a container with the image ${image} at ${backend}${network ? '' : ', without network access'}`,
  };
}

type CloudSubject = { backend: 'modal' | 'daytona'; image: string; name: string; home: string };

function causes({ backend, image, name, home }: CloudSubject): readonly Cause[] {
  return [
    [
      /missing credentials|credentials not found/i,
      NO_KEY,
      `Create one at ${KEY_PAGES[backend]} and set ${KEYS[backend]} in ${home}/.env.`,
    ],
    [
      /unauthenticated|unauthorized|permission_denied|forbidden|\b40[13]\b|authentication/i,
      'the API key was rejected',
      `Check ${KEYS[backend]} in the environment and in ${home}/.env.`,
    ],
    [
      /resource_exhausted|quota|limit exceeded|limit reached|total .* limit|payment|credit|rate limit|\b4(?:02|29)\b/i,
      'the quota of your account is exhausted',
      `Check ${new URL(KEY_PAGES[backend]).origin}, end containers that you do not need, or lower terminal.container_cpu and terminal.container_memory.`,
    ],
    [
      /image .*(?:build|failed|not found)|build_failed|manifest|pull access/i,
      `the image ${image} cannot be used`,
      `Check terminal.${backend}_image. It must name an image that the service can pull.`,
    ],
    [
      /container is gone|not found|not_found|terminated|already (?:been )?(?:shut|finished|completed)|is not running|destroyed|\b404\b/i,
      `the container ${name} no longer exists`,
      'It was ended or reached its maximum lifetime, and unsaved content is lost. Restart Hermes to create a new one.',
    ],
    [
      /within \d+ seconds|took longer|timed? ?out|deadline/i,
      'the request timed out',
      'Try again; the first use of an image takes longest. If it keeps failing, check the status page of the service.',
    ],
    [
      /unavailable|econn|enotfound|getaddrinfo|eai_again|socket|network|no connection|fetch failed|\b50\d\b/i,
      'the service cannot be reached',
      'Check the network and whether the service is up. Nothing was run elsewhere.',
    ],
  ];
}

/** Turns an error of a service or its SDK into one with a hint. */
function explainCloud(subject: CloudSubject, errors: string): HermesError {
  const line = errors.trim().split('\n').at(-1)?.trim() ?? '';
  const text = line
    .replace(/^\w*Error: /, '')
    .replace(/\.$/, '')
    .slice(0, MAX_ERROR_LENGTH);
  const unknown: Cause = [
    /^/,
    'the service failed',
    'Try again. If it keeps failing, choose another terminal.backend.',
  ];
  const [, what, hint] = causes(subject).find(([pattern]) => pattern.test(errors)) ?? unknown;
  // The SDK's own advice on how to pass a key does not apply here.
  const said = text === '' || what === NO_KEY ? '' : ` (${text})`;
  return new HermesError(`Cannot use a ${subject.backend} container: ${what}${said}.`, { hint });
}
