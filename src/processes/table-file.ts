import { readdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, isJsonObject, newId, parseJson } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';
import {
  ensurePrivateFolder,
  hasProcessEnded,
  currentProcess,
  type ProcessIdentity,
  processStartTime,
  withFileLock,
  writeFileAtomic,
} from '../util/index.ts';
import type { ProcessEntry, StoredProcess } from './process-entry.ts';

/** The output of a process is saved at most this often. */
const SAVE_OUTPUT_EVERY_MS = 1000;

/** The copy of the process table on disk, from which the next Hermes process recovers if this one is killed. */
export interface TableFile {
  /** Resolves when the table is on disk. */
  save(processes: readonly StoredProcess[]): Promise<void>;
  saveOutputSoon(entry: ProcessEntry): void;
  removeOutput(id: string): void;
  /**
   * Passes the entries of Hermes processes that are gone to `take`. The entries that `take` returns stay in the file.
   */
  recoverTables(take: (left: RecoverableProcess[]) => Promise<RecoverableProcess[]>): Promise<void>;
  /** A cheap check whether there are other table files. */
  hasOtherTables(): boolean;
  /** Waits for pending writes. */
  settled(): Promise<void>;
}

/** Each Hermes process has its own file, so that writing needs no lock. */
export function createTableFile(folder: string, logger: Logger): TableFile {
  const ownName = `${newId('table')}.json`;
  const timers = new Map<string, NodeJS.Timeout>();
  const enqueue = createQueue(folder, logger);
  const otherNames = () => listTables(folder).filter((name) => name !== ownName);

  async function write(name: string, content: string): Promise<void> {
    await ensurePrivateFolder(folder);
    // No process survives a power failure, so its record need not either.
    await writeFileAtomic(join(folder, name), content, { mode: 0o600, durable: false });
  }

  function saveOutput(entry: ProcessEntry): void {
    timers.delete(entry.id);
    void enqueue(() => write(`${entry.id}.txt`, entry.output.text()));
  }

  return {
    save: (processes) =>
      enqueue(async () => {
        if (processes.length === 0) return rm(join(folder, ownName), { force: true });
        const owner = { ...currentProcess(), startTime: processStartTime(process.pid) };
        const content: FileContent = { owner, processes: [...processes] };
        return write(ownName, JSON.stringify(content, undefined, 2));
      }),
    saveOutputSoon(entry) {
      if (timers.has(entry.id)) return;
      // A pending save is not flushed at exit: by then the output is no longer needed, or the process keeps running.
      timers.set(entry.id, setTimeout(() => saveOutput(entry), SAVE_OUTPUT_EVERY_MS).unref());
    },
    removeOutput(id) {
      clearTimeout(timers.get(id));
      timers.delete(id);
      void enqueue(() => rm(outputFile(folder, id), { force: true }));
    },
    hasOtherTables: () => otherNames().length > 0,
    recoverTables: (take) =>
      withFileLock(join(folder, 'lock'), async () => {
        for (const name of otherNames()) {
          const left = await readAbandonedTable(folder, name);
          if (left === undefined) continue;
          const refused = await take(left.processes);
          const processes = refused.map(({ stored }) => stored);
          if (processes.length === 0) await rm(join(folder, name), { force: true });
          else await write(name, JSON.stringify({ owner: left.owner, processes }));
        }
      }),
    async settled() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      await enqueue(async () => undefined);
    },
  };
}

/** Runs writes in sequence and logs failures, because a full disk must not stop a background process. */
function createQueue(folder: string, logger: Logger): (task: () => Promise<void>) => Promise<void> {
  let work: Promise<void> = Promise.resolve();
  return (task) => {
    work = work.then(task).catch((thrown: unknown) => {
      logger.warn('could not save the process table', { folder, reason: errorMessage(thrown) });
    });
    return work;
  };
}

/** A recorded process with its saved output. */
export type RecoverableProcess = { stored: StoredProcess; savedOutput: string };

/** A pid can be reused, so the start time identifies the process as well. */
type Owner = ProcessIdentity & { startTime: string };

type FileContent = { owner: Owner; processes: StoredProcess[] };

function outputFile(folder: string, id: string): string {
  return join(folder, `${id}.txt`);
}

/** The table files of all instances, including running ones. */
function listTables(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

/** The table of an instance that is gone; undefined if it still runs. */
async function readAbandonedTable(
  folder: string,
  name: string,
): Promise<{ owner: Owner; processes: RecoverableProcess[] } | undefined> {
  const content = readContent(await readText(join(folder, name)));
  if (content === undefined || !isGone(content.owner)) return undefined;
  const processes = await Promise.all(
    content.processes.map(async (facts) => ({
      stored: facts,
      savedOutput: await readText(outputFile(folder, facts.id)),
    })),
  );
  return { owner: content.owner, processes };
}

function isGone({ pid, scope, startTime }: Owner): boolean {
  const { scope: ownScope } = currentProcess();
  return hasProcessEnded({ pid, scope }, ownScope) || (scope === ownScope && processStartTime(pid) !== startTime);
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

/** An invalid file is left alone: a later version may have written it. */
function readContent(text: string): FileContent | undefined {
  const content = parseJson(text);
  if (!isJsonObject(content) || !isJsonObject(content['owner']) || !Array.isArray(content['processes'])) {
    return undefined;
  }
  const { pid, scope, startTime } = content['owner'];
  if (typeof pid !== 'number' || typeof scope !== 'string' || typeof startTime !== 'string') return undefined;
  return { owner: { pid, scope, startTime }, processes: content['processes'].flatMap(readStoredProcess) };
}

function readStoredProcess(value: unknown): StoredProcess[] {
  if (!isJsonObject(value) || !isJsonObject(value['record'])) return [];
  const { id, sessionId, command, directory, place, pid, startedAt, record } = value;
  const texts = [id, sessionId, command, directory, place, record['startTime'], record['mark']];
  const numbers = [pid, startedAt, record['pid']];
  const isWhole =
    texts.every((text) => typeof text === 'string') && numbers.every((number) => typeof number === 'number');
  // The id is used as a file name.
  return isWhole && /^proc_[0-9a-f]{12}$/.test(id as string) ? [value as unknown as StoredProcess] : [];
}
