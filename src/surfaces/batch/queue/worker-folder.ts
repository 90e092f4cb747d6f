import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '../../../base/index.ts';
import { hasDied, markProcess } from '../../../util/index.ts';

const PREFIX = 'hermes-batch-worker-';
const OWNER = 'owner.json';

/** A folder for the sessions of one worker, which goes with it. What workers left that were killed goes too. */
export async function makeWorkerFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  await removeLeft();
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  await writeFile(join(folder, OWNER), JSON.stringify(markProcess()));
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

async function removeLeft(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(PREFIX))) {
    const folder = join(tmpdir(), name);
    const owner = parseJson(await readFile(join(folder, OWNER), 'utf8').catch(() => ''));
    if (!isJsonObject(owner)) continue;
    const { pid, scope } = owner;
    if (typeof pid !== 'number' || typeof scope !== 'string') continue;
    // Somebody else's may not be removed, and needs not be.
    if (hasDied({ pid, scope }, markProcess().scope))
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}
