import { type Clock, systemClock } from '../base/index.ts';
import { type Logger, silentLogger } from '../contracts/index.ts';
import { type TableFile, createTableFile } from './table-file.ts';
import { type Continuations, createContinuations } from './continuations.ts';
import { describeCompletion } from './describe-process.ts';
import { createNoticeQueue, type NoticeQueue } from './notice-queue.ts';
import { createNoticeLimit, type NoticeLimit } from './output-watch.ts';
import type { EntryEvents, ProcessEntry, ProcessFacts } from './process-entry.ts';
import { createRows, type Rows } from './rows.ts';

export const MOST_PROCESSES = 64;
export const BUFFER_SIZE = 200_000;

export type ProcessTableOptions = {
  /** Where it is written down what runs; without it nothing is found again. */
  folder?: string | undefined;
  /** What was started goes on when the program leaves. */
  keepsRunning?: boolean | undefined;
  clock?: Clock;
  logger?: Logger;
};

/** What the table is made of. */
export type TableParts = {
  readonly keepsRunning: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tableFile: TableFile | undefined;
  readonly notices: NoticeQueue;
  readonly limit: NoticeLimit;
  readonly rows: Rows;
  /** Commands that somebody waits for. */
  readonly waited: Map<string, ProcessFacts>;
  readonly continuations: Continuations;
  /** Whose end is to be told, and why instead of its lines. */
  readonly wanted: Map<string, { reason?: string }>;
  readonly events: EntryEvents;
  /** Aborted when the table is closed. */
  readonly closed: AbortController;
  save(): Promise<void>;
};

export function createTableParts(options: ProcessTableOptions): TableParts {
  const { clock = systemClock, logger = silentLogger, keepsRunning = false, folder } = options;
  const continuations = createContinuations();
  const tableFile = folder === undefined ? undefined : createTableFile(folder, logger);
  const parts: TableParts = {
    keepsRunning,
    clock,
    logger,
    tableFile,
    notices: createNoticeQueue(continuations.newest),
    continuations,
    waited: new Map(),
    limit: createNoticeLimit(clock),
    rows: createRows({ most: MOST_PROCESSES, clock, onRemoved: ({ id }) => tableFile?.removeOutput(id) }),
    wanted: new Map(),
    closed: new AbortController(),
    async save() {
      const rows = parts.rows.all().filter(isWorthSaving);
      const all = [...rows.map((entry) => entry.facts()), ...parts.waited.values()];
      // Whoever finds them is to know the session as it is called by then.
      const newest = ({ sessionId }: ProcessFacts) => ({ sessionId: continuations.newest(sessionId) });
      await tableFile?.save(all.map((facts) => ({ ...facts, ...newest(facts) })));
    },
    events: {
      onOutput: (entry) => tableFile?.saveOutputSoon(entry),
      onEnded: (entry) => tellEnd(parts, entry),
      onEndingRead({ id, sessionId }) {
        parts.wanted.delete(id);
        parts.notices.withdraw(sessionId, id);
      },
    },
  };
  return parts;
}

/** What was found and has ended was told by then. */
function isWorthSaving(entry: ProcessEntry): boolean {
  return !entry.found || entry.ending() === undefined;
}

function tellEnd({ wanted, notices, closed, save }: TableParts, entry: ProcessEntry): void {
  const told = wanted.get(entry.id);
  wanted.delete(entry.id);
  if (closed.signal.aborted) return;
  if (told !== undefined) notices.add(entry.sessionId, entry.id, describeCompletion(entry, told.reason));
  void save();
}
