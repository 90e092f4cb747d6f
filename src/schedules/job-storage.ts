import { watch } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError, isJsonObject, type JsonObject, parseJson } from '../base/index.ts';
import type { CronStore } from '../contracts/index.ts';
import { changeFile, writeFileAtomic } from '../util/index.ts';

/** Where jobs are stored. */
export interface JobStorage {
  list(): Promise<JsonObject[]>;
  /**
   * Reads, changes and writes the jobs while no other process does so. Nothing is written if the change returns the
   * list that it got.
   */
  change(change: (jobs: JsonObject[]) => JsonObject[]): Promise<void>;
  /** Calls a function after changes by any process, as far as they are noticed. Returns a function that ends this. */
  watch(onChange: () => void): Promise<() => void>;
}

/** `cron/jobs.json` of the home, in the format of the original. Fields that Hermes does not know are kept. */
export function createJobFile(home: string, now: () => number): JobStorage {
  const folder = join(home, 'cron');
  const file = join(folder, 'jobs.json');
  return {
    async list() {
      return jobsIn(await readContent(file));
    },
    change: (change) =>
      changeFile(file, async () => {
        const content = await readContent(file);
        const before = jobsIn(content);
        const jobs = change(before);
        if (jobs === before) return;
        const written = { ...content, jobs, updated_at: new Date(now()).toISOString() };
        await writeFileAtomic(file, `${JSON.stringify(written, null, 2)}\n`);
      }),
    async watch(onChange) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const watcher = watch(folder, { persistent: false }, (_, name) => {
          if (name === null || name === 'jobs.json') onChange();
        });
        // Without a watcher, changes are noticed a little later.
        watcher.on('error', () => watcher.close());
        return () => watcher.close();
      } catch {
        return () => undefined;
      }
    },
  };
}

/** The jobs in a table, which several machines share. */
export function createJobTable(store: Pick<CronStore, 'listStoredJobs' | 'changeStoredJobs'>): JobStorage {
  return {
    list: () => store.listStoredJobs(),
    change: (change) => store.changeStoredJobs(change),
    watch: () => Promise.resolve(() => undefined),
  };
}

/** A file that cannot be read is never overwritten. */
async function readContent(file: string): Promise<JsonObject> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw thrown;
  }
  const content = parseJson(text);
  if (Array.isArray(content)) return { jobs: content };
  if (isJsonObject(content)) return content;
  throw new ConfigurationError(`${file} is not valid JSON.`, {
    hint: 'Correct it, or move it away: Hermes then starts with an empty list.',
  });
}

function jobsIn({ jobs }: JsonObject): JsonObject[] {
  return Array.isArray(jobs) ? jobs.filter(isJsonObject) : [];
}
