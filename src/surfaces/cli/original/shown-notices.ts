import { dirname } from 'node:path';
import { isJsonObject, parseJson } from '../../../base/index.ts';
import { homePaths, readIfPresent } from '../../../config/index.ts';
import { ensurePrivateFolder, writeFileAtomic } from '../../../util/index.ts';

/** What a notice was last shown for, by the name of the notice. */
export type ShownNotices = {
  /** The fingerprint of the `config.yaml` whose ignored settings were named. */
  ignoredSettings?: string;
  /** The schema version of the database whose sessions were offered, and of the one that a run mentioned. */
  sessionsOffered?: string;
  sessionsMentioned?: string;
};

/** The notices of a home directory that were already shown. Losing the file only repeats them. */
export async function readShownNotices(home: string): Promise<ShownNotices> {
  const content = await readIfPresent(homePaths(home).shownNoticesFile).catch(() => undefined);
  const value = content === undefined ? undefined : parseJson(content);
  return isJsonObject(value) ? value : {};
}

/** Records notices as shown. A home directory that cannot be written gets them again. */
export async function recordShown(home: string, shown: ShownNotices): Promise<void> {
  const file = homePaths(home).shownNoticesFile;
  try {
    await ensurePrivateFolder(dirname(file));
    const all = { ...(await readShownNotices(home)), ...shown };
    await writeFileAtomic(file, `${JSON.stringify(all)}\n`, { durable: false });
  } catch {
    // The notice was shown, which is what matters.
  }
}
