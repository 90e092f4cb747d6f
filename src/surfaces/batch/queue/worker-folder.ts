import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markFolder, removeAbandonedFolders } from '../../../util/index.ts';

const PREFIX = 'hermes-batch-worker-';

/** A folder for the sessions of one worker, which goes with it. What workers left that were killed goes too. */
export async function makeWorkerFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  removeAbandonedFolders(tmpdir(), PREFIX);
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  markFolder(folder);
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) };
}
