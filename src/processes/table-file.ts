import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, newId } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';
import { ensurePrivateFolder, markProcess, startTimeOf, withFileLock, writeFileAtomic } from '../util/index.ts';
import { type FileContent, type Left, listTables, outputFile, readLeft } from './left-behind.ts';
import type { ProcessEntry, ProcessFacts } from './process-entry.ts';

/** At most so often is the output of a process saved while it prints. */
const SAVE_OUTPUT_EVERY_MS = 1000;

/** What a program writes down about its processes, so that another one finds them if it is killed. */
export interface TableFile {
  /** Resolves when it is on disk. */
  save(processes: readonly ProcessFacts[]): Promise<void>;
  saveOutputSoon(entry: ProcessEntry): void;
  removeOutput(id: string): void;
  /** Hands over what programs that are gone had written down; what is given back stays written for others. */
  takeOver(take: (left: Left[]) => Promise<Left[]>): Promise<void>;
  /** Whether there could be anything to take over; costs almost nothing. */
  hasOthers(): boolean;
  /** Waits for what is being written. */
  settled(): Promise<void>;
}

/** One file per program, so that nobody ever waits to write. */
export function createTableFile(folder: string, logger: Logger): TableFile {
  const ownName = `${newId('table')}.json`;
  const timers = new Map<string, NodeJS.Timeout>();
  const enqueue = createQueue(folder, logger);
  const otherNames = () => listTables(folder).filter((name) => name !== ownName);

  async function write(name: string, content: string): Promise<void> {
    await ensurePrivateFolder(folder);
    await writeFileAtomic(join(folder, name), content, { mode: 0o600 });
  }

  function saveOutput(entry: ProcessEntry): void {
    timers.delete(entry.id);
    void enqueue(() => write(`${entry.id}.txt`, entry.output.text()));
  }

  return {
    save: (processes) =>
      enqueue(async () => {
        if (processes.length === 0) return rm(join(folder, ownName), { force: true });
        const owner = { ...markProcess(), startTime: startTimeOf(process.pid) };
        const content: FileContent = { owner, processes: [...processes] };
        return write(ownName, JSON.stringify(content, undefined, 2));
      }),
    saveOutputSoon(entry) {
      if (timers.has(entry.id)) return;
      // Nothing waits for it at the end: then the output is of no use any more, or the process goes on.
      timers.set(entry.id, setTimeout(() => saveOutput(entry), SAVE_OUTPUT_EVERY_MS).unref());
    },
    removeOutput(id) {
      clearTimeout(timers.get(id));
      timers.delete(id);
      void enqueue(() => rm(outputFile(folder, id), { force: true }));
    },
    hasOthers: () => otherNames().length > 0,
    takeOver: (take) =>
      withFileLock(join(folder, 'lock'), async () => {
        for (const name of otherNames()) {
          const left = await readLeft(folder, name);
          if (left === undefined) continue;
          const refused = await take(left.processes);
          const processes = refused.map(({ facts }) => facts);
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

/** One after the other; a full disk must not cost the process. */
function createQueue(folder: string, logger: Logger): (task: () => Promise<void>) => Promise<void> {
  let work: Promise<void> = Promise.resolve();
  return (task) => {
    work = work.then(task).catch((thrown: unknown) => {
      logger.warn('what is known of background processes could not be saved', { folder, reason: errorMessage(thrown) });
    });
    return work;
  };
}
