import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { homePaths } from '../../config/index.ts';
import { ensurePrivateFolder } from '../../util/index.ts';

export type HubPlace = { home: string; env: Readonly<Record<string, string | undefined>> };

/**
 * A folder for one search, beside what is fetched to be installed. Programs run in it and not where the person works:
 * a project must not say which registry npm asks.
 */
export async function inSearchFolder<Result>(
  { home }: HubPlace,
  task: (folder: string) => Promise<Result>,
): Promise<Result> {
  const { quarantineFolder } = homePaths(home);
  await ensurePrivateFolder(quarantineFolder);
  const folder = mkdtempSync(join(quarantineFolder, '.searching-'));
  try {
    return await task(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
