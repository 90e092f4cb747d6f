import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Image, ModalClient, Sandbox } from 'modal';
import { LEAVING_HEAD, LEAVING_TAIL } from './cloud-leaving.ts';
import type { CloudContainer, CloudRules, CloudService } from './cloud-service.ts';
import { loadSdk, type SdkPackage } from './cloud-sdk.ts';
import { createModalContainer } from './modal-container.ts';
import { withinTime } from '../../util/index.ts';

export const MODAL_SDK: SdkPackage = {
  backend: 'modal',
  name: 'modal',
  version: '0.11.1',
  entry: 'dist/index.js',
  exports: 'ModalClient',
};

/** What belongs together at the service. */
const APP = 'hermes-agent';
/** The longest that the service lets one live, and how long it may be of no use to anybody. */
const LIFE_MS = 24 * 3600_000;
const IDLE_MS = 3600_000;
const SNAPSHOT_MS = 300_000;
/** The file with the number of what was kept. */
const KEPT_IMAGE = 'image';

const LEAVING_SCRIPT = `${LEAVING_HEAD}
const client = new sdk.ModalClient();
const sandbox = await client.sandboxes.fromName(task.app, task.name).catch((error) => {
  if (error instanceof sdk.NotFoundError) return undefined;
  throw error;
});
for (const words of sandbox === undefined || task.ending === 'remove' ? [] : task.runs) {
  await (await sandbox.exec(words)).wait();
}
if (sandbox !== undefined && task.ending === 'keep') {
  const image = await sandbox.snapshotFilesystem({ timeoutMs: ${SNAPSHOT_MS}, ttlMs: null });
  writeFileSync(task.folder + '/${KEPT_IMAGE}', image.imageId);
}
if (task.ending !== 'goes on') await sandbox?.terminate();
${LEAVING_TAIL}`;

export type ModalOptions = CloudRules & {
  home: string;
  variables: Readonly<Record<string, string | undefined>>;
  /** Of this machine, without secrets. */
  env: Record<string, string>;
};

/** Modal: what is kept of a container is a picture of its files, from which the next one begins. */
export async function createModalService(options: ModalOptions): Promise<CloudService> {
  const { file, module } = await loadSdk(MODAL_SDK, options.home);
  const sdk = module as unknown as typeof import('modal');
  const [tokenId, tokenSecret] = [options.variables['MODAL_TOKEN_ID'], options.variables['MODAL_TOKEN_SECRET']];
  const token = tokenId === undefined || tokenSecret === undefined ? {} : { tokenId, tokenSecret };
  const client = new sdk.ModalClient({ ...token, logger: SILENT });
  const opened = new Set<() => void>();

  const find = async (name: string): Promise<Sandbox | undefined> =>
    client.sandboxes.fromName(APP, name).catch((thrown: unknown) => {
      if (thrown instanceof sdk.NotFoundError) return undefined;
      throw thrown;
    });
  const use = (sandbox: Sandbox): CloudContainer => {
    const container = createModalContainer(sandbox);
    opened.add(container.letGo);
    return container;
  };

  return {
    async find() {
      const sandbox = await withinTime(find(options.name), options.createMs);
      return sandbox && use(sandbox);
    },
    async make() {
      const making = makeSandbox({ client, sdk, options }).catch(async (thrown: unknown) => {
        // Another program may have made it in the same moment.
        const other = thrown instanceof sdk.AlreadyExistsError ? await find(options.name) : undefined;
        if (other === undefined) throw thrown;
        return other;
      });
      return use(await withinTime(making, options.createMs));
    },
    async end(name, folder, keeps) {
      const sandbox = await find(name);
      if (sandbox === undefined) return;
      if (keeps) await keepFiles(client, sandbox, join(folder, KEPT_IMAGE));
      await sandbox.terminate();
    },
    leaving: {
      script: LEAVING_SCRIPT,
      data: { file, app: APP },
      env: {
        ...options.env,
        ...(tokenId && { MODAL_TOKEN_ID: tokenId }),
        ...(tokenSecret && { MODAL_TOKEN_SECRET: tokenSecret }),
      },
    },
    async close() {
      for (const letGo of opened) letGo();
      client.close();
    },
  };
}

const nothing = () => undefined;
/** It would talk in the middle of a chat. */
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

type Making = { client: ModalClient; sdk: typeof import('modal'); options: ModalOptions };

async function makeSandbox({ client, sdk, options }: Making): Promise<Sandbox> {
  const app = await client.apps.fromName(APP, { createIfMissing: true });
  const kept = readKept(join(options.folder, KEPT_IMAGE));
  const image: Image =
    kept === undefined
      ? client.images.fromRegistry(options.image)
      : await client.images.fromId(kept).catch((thrown: unknown) => {
          if (!(thrown instanceof sdk.NotFoundError)) throw thrown;
          return client.images.fromRegistry(options.image);
        });
  return client.sandboxes.create(app, image, {
    name: options.name,
    timeoutMs: LIFE_MS,
    idleTimeoutMs: IDLE_MS,
    blockNetwork: !options.network,
    ...(options.cpu !== undefined && { cpu: options.cpu }),
    ...(options.memory !== undefined && { memoryMiB: options.memory }),
  });
}

async function keepFiles(client: ModalClient, sandbox: Sandbox, file: string): Promise<void> {
  const before = readKept(file);
  const image = await sandbox.snapshotFilesystem({ timeoutMs: SNAPSHOT_MS, ttlMs: null });
  writeFileSync(file, image.imageId);
  // The one before is of no use any more, and is paid for.
  if (before !== undefined && before !== image.imageId) await client.images.delete(before).catch(nothing);
}

function readKept(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
