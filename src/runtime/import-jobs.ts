import { join } from 'node:path';
import { errorMessage, isJsonObject, type JsonObject, parseJson } from '../base/index.ts';
import { readIfPresent, type StorageSettings } from '../config/index.ts';
import { createJobFile, type JobStorage } from '../schedules/index.ts';
import { changeFile, writeFileAtomic } from '../util/index.ts';

export type JobImport = {
  home: string;
  storage: StorageSettings;
  table: JobStorage;
  now(): number;
  /** Called with a sentence about what was imported, or why that was not possible. */
  onImported(text: string): void;
};

/**
 * Adds the jobs of `cron/jobs.json` to the database, once for each database. Jobs with an id that the database has stay
 * as they are there. The file is kept.
 */
export async function importJobs({ home, storage, table, now, onImported }: JobImport): Promise<void> {
  const folder = join(home, 'cron');
  const file = join(folder, 'jobs.json');
  if ((await readIfPresent(file)) === undefined) return;
  const { describeLocation, parseDatabaseUrl } = await import('../store/postgres/index.ts');
  const database = describeLocation(parseDatabaseUrl(storage.url));
  const record = join(folder, 'imported.json');
  const readRecord = async (): Promise<JsonObject> => {
    const content = parseJson((await readIfPresent(record)) ?? '{}');
    return isJsonObject(content) ? content : {};
  };
  if (Object.hasOwn(await readRecord(), database)) return;
  let added = 0;
  try {
    const jobs = (await createJobFile(home, now).list()).filter(({ id }) => typeof id === 'string');
    await table.change((stored) => {
      const known = new Set(stored.map(({ id }) => id));
      const missing = jobs.filter(({ id }) => !known.has(id));
      added = missing.length;
      return missing.length === 0 ? stored : [...stored, ...missing];
    });
  } catch (thrown) {
    return onImported(`Could not import the jobs of ${file} into the database: ${errorMessage(thrown)}`);
  }
  const importedAt = new Date(now()).toISOString();
  await changeFile(record, async () => {
    const written = { ...(await readRecord()), [database]: importedAt };
    await writeFileAtomic(record, `${JSON.stringify(written, null, 2)}\n`);
  });
  if (added === 0) return;
  const counted = added === 1 ? '1 job' : `${added} jobs`;
  onImported(`Imported ${counted} of ${file} into the ${database}. The file is kept, but no longer used.`);
}
