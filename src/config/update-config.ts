import { changeFile, writeFileAtomic } from '../util/index.ts';
import type { ConfigChange } from './edit-config.ts';
import { readIfPresent } from './env-file.ts';
import { homePaths } from './paths.ts';

/** Changes, or a function that derives them from the current content of the file. */
export type ConfigChanges =
  | readonly ConfigChange[]
  | ((content: string) => readonly ConfigChange[] | Promise<readonly ConfigChange[]>);

/**
 * Changes single keys of config.yaml atomically, under the lock of the file. A file that cannot be parsed is not
 * changed. Changes that depend on the current configuration must be derived by a function, which is called under the
 * lock.
 */
export async function updateConfig(home: string, changes: ConfigChanges): Promise<void> {
  const { configFile } = homePaths(home);
  const { editConfig } = await import('./edit-config.ts');
  await changeFile(configFile, async () => {
    const content = (await readIfPresent(configFile)) ?? '';
    const edited = editConfig(configFile, content, typeof changes === 'function' ? await changes(content) : changes);
    if (edited !== content) await writeFileAtomic(configFile, edited);
  });
}

/** Replaces config.yaml with an edited text. Returns false if it has changed since `seen` was read. */
export async function replaceConfig(home: string, seen: string, written: string): Promise<boolean> {
  const { configFile } = homePaths(home);
  return changeFile(configFile, async () => {
    if (((await readIfPresent(configFile)) ?? '') !== seen) return false;
    await writeFileAtomic(configFile, written);
    return true;
  });
}
