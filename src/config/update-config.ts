import { ensurePrivateFolder, writeFileAtomic } from '../util/index.ts';
import type { ConfigChange } from './edit-config.ts';
import { readIfPresent } from './env-file.ts';
import { homePaths } from './paths.ts';

/** Changes single keys of config.yaml atomically. A file that cannot be parsed is not changed. */
export async function updateConfig(home: string, changes: readonly ConfigChange[]): Promise<void> {
  const { configFile } = homePaths(home);
  const { editConfig } = await import('./edit-config.ts');
  const edited = editConfig(configFile, (await readIfPresent(configFile)) ?? '', changes);
  await ensurePrivateFolder(home);
  await writeFileAtomic(configFile, edited);
}
