import type { Daytona, Sandbox } from '@daytonaio/sdk';
import { withTimeout } from '../../util/index.ts';
import { loadSdk, type SdkPackage } from './cloud-sdk.ts';
import {
  type CloudContainer,
  type CloudService,
  type CloudServiceOptions,
  EXIT_SCRIPT_HEAD,
  EXIT_SCRIPT_TAIL,
} from './cloud-service.ts';
import { createDaytonaContainer } from './daytona-container.ts';

const DAYTONA_SDK: SdkPackage = {
  backend: 'daytona',
  name: '@daytonaio/sdk',
  version: '0.218.0',
  entry: 'esm/index.js',
  exports: 'Daytona',
};

/** After how many idle minutes the service stops a container; its content is kept. */
const IDLE_MINUTES = 60;
const MEGABYTES = 1024;
/** States from which a container can be started again with its content. */
const STOPPED = new Set(['stopped', 'stopping', 'archived', 'archiving', 'paused', 'pausing']);
const UP = new Set(['started', 'starting', 'creating', 'restoring', 'resuming']);

const LEAVING_SCRIPT = `${EXIT_SCRIPT_HEAD}
const daytona = new sdk.Daytona({ ...task.config, apiKey: process.env.DAYTONA_API_KEY, useDeprecatedPolling: true });
const sandbox = await daytona.get(task.name).catch((error) => {
  if (error instanceof sdk.DaytonaNotFoundError) return undefined;
  throw error;
});
for (const words of sandbox === undefined || task.ending === 'remove' ? [] : task.runs) {
  const text = words.map((word) => "'" + word.replaceAll("'", "'\\\\''") + "'").join(' ');
  await sandbox.process.executeCommand("sh -c 'echo " + Buffer.from(text).toString('base64') + " | base64 -d | sh'");
}
if (task.ending === 'keep') await sandbox?.stop();
if (task.ending === 'remove') await sandbox?.delete();
${EXIT_SCRIPT_TAIL}`;

/** Daytona keeps the content by stopping the container instead of removing it. */
export async function createDaytonaService(options: CloudServiceOptions): Promise<CloudService> {
  const { file, module } = await loadSdk(DAYTONA_SDK, options.home);
  const sdk = module as unknown as typeof import('@daytonaio/sdk');
  const { apiKey, ...config } = readConfig(options.variables);
  // Otherwise the SDK reads keys from files in the working directory, which are untrusted.
  if (apiKey === undefined) throw new Error('Authentication credentials not found.');
  const daytona = new sdk.Daytona({ ...config, apiKey, useDeprecatedPolling: true });
  const opened = new Set<() => void>();

  const find = async (name: string): Promise<Sandbox | undefined> => {
    const sandbox = await daytona.get(name).catch((thrown: unknown) => {
      if (thrown instanceof sdk.DaytonaNotFoundError) return undefined;
      throw thrown;
    });
    return sandbox?.state?.startsWith('destroy') ? undefined : sandbox;
  };
  const use = async (sandbox: Sandbox): Promise<CloudContainer> => {
    const container = createDaytonaContainer(sandbox);
    opened.add(container.letGo);
    return container;
  };

  return {
    async find() {
      const sandbox = await withTimeout(find(options.name), options.createMs);
      if (sandbox === undefined) return undefined;
      await bringUp(sandbox, options.createMs);
      return use(sandbox);
    },
    async create() {
      const making = makeSandbox(daytona, options).catch(async (thrown: unknown) => {
        // Another process may have created the container at the same moment.
        const other = thrown instanceof sdk.DaytonaConflictError ? await find(options.name) : undefined;
        if (other === undefined) throw thrown;
        await bringUp(other, options.createMs);
        return other;
      });
      return use(await withTimeout(making, options.createMs));
    },
    async end(name, _, keeps) {
      const sandbox = await find(name);
      if (sandbox === undefined) return;
      if (!keeps) await sandbox.delete();
      else if (UP.has(sandbox.state ?? '')) await sandbox.stop();
    },
    exitScript: { script: LEAVING_SCRIPT, data: { file, config }, env: { ...options.env, DAYTONA_API_KEY: apiKey } },
    async close() {
      for (const letGo of opened) letGo();
      await daytona[Symbol.asyncDispose]();
    },
  };
}

function readConfig(variables: CloudServiceOptions['variables']) {
  const [apiUrl, target] = [variables['DAYTONA_API_URL'], variables['DAYTONA_TARGET']];
  return {
    apiKey: variables['DAYTONA_API_KEY'],
    apiUrl: apiUrl ?? 'https://app.daytona.io/api',
    ...(target !== undefined && { target }),
  };
}

async function bringUp(sandbox: Sandbox, limitMs: number): Promise<void> {
  const seconds = Math.ceil(limitMs / 1000);
  const state = sandbox.state ?? 'unknown';
  if (state === 'stopping') await sandbox.waitUntilStopped(seconds);
  if (STOPPED.has(state)) await sandbox.start(seconds);
  else if (UP.has(state)) await sandbox.waitUntilStarted(seconds);
  else
    throw new Error(`the container is in the state ${state}${sandbox.errorReason ? `: ${sandbox.errorReason}` : ''}`);
}

async function makeSandbox(daytona: Daytona, options: CloudServiceOptions): Promise<Sandbox> {
  const { cpu, memory, disk } = options;
  const resources = {
    ...(cpu !== undefined && { cpu: Math.ceil(cpu) }),
    ...(memory !== undefined && { memory: Math.ceil(memory / MEGABYTES) }),
    ...(disk !== undefined && { disk: Math.ceil(disk / MEGABYTES) }),
  };
  return daytona.create(
    {
      name: options.name,
      image: options.image,
      resources,
      labels: { 'hermes-agent': '1' },
      autoStopInterval: IDLE_MINUTES,
      networkBlockAll: !options.network,
      ephemeral: !options.persistent,
    },
    { timeout: Math.ceil(options.createMs / 1000) },
  );
}
