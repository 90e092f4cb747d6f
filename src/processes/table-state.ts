import { type Clock, systemClock } from '../base/index.ts';
import { type Logger, type Notices, silentLogger } from '../contracts/index.ts';
import { describeCompletion } from './describe-process.ts';
import { createNoticeRateLimiter, type NoticeRateLimiter } from './output-watch.ts';
import type { EntryEvents, ProcessEntry, StoredProcess } from './process-entry.ts';
import { createTableFile, type TableFile } from './table-file.ts';

export const MAX_PROCESSES = 64;
export const BUFFER_SIZE = 200_000;
/** How long a finished process stays in the table. */
const RETENTION_MS = 30 * 60_000;

export type ProcessTableOptions = {
  /** The folder of the table file; without it, processes are not recovered after a kill. */
  folder?: string | undefined;
  /** Background processes keep running when Hermes exits. */
  keepsRunning?: boolean | undefined;
  clock?: Clock;
  logger?: Logger;
};

/** The state that the functions of the process table share. */
export type TableState = {
  readonly keepsRunning: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tableFile: TableFile | undefined;
  readonly notices: NoticeQueue;
  readonly limit: NoticeRateLimiter;
  readonly rows: Rows;
  /** Foreground commands, recorded for crash recovery only. */
  readonly foreground: Map<string, StoredProcess>;
  readonly continuations: Continuations;
  /** The processes whose exit must be reported, with the reason if watching their output was stopped. */
  readonly exitNotices: Map<string, { reason?: string }>;
  readonly events: EntryEvents;
  /** Aborted when the table is closed. */
  readonly closed: AbortController;
  save(): Promise<void>;
};

export function createTableState(options: ProcessTableOptions): TableState {
  const { clock = systemClock, logger = silentLogger, keepsRunning = false, folder } = options;
  const continuations = createContinuations();
  const tableFile = folder === undefined ? undefined : createTableFile(folder, logger);
  const parts: TableState = {
    keepsRunning,
    clock,
    logger,
    tableFile,
    notices: createNoticeQueue(continuations.newest),
    continuations,
    foreground: new Map(),
    limit: createNoticeRateLimiter(clock),
    rows: createRows({ most: MAX_PROCESSES, clock, onRemoved: ({ id }) => tableFile?.removeOutput(id) }),
    exitNotices: new Map(),
    closed: new AbortController(),
    async save() {
      const rows = parts.rows.all().filter(mustBeSaved);
      const all = [...rows.map((entry) => entry.facts()), ...parts.foreground.values()];
      // Saved with the newest session id, so that recovery finds the session that continues this one.
      const newest = ({ sessionId }: StoredProcess) => ({ sessionId: continuations.newest(sessionId) });
      await tableFile?.save(all.map((facts) => ({ ...facts, ...newest(facts) })));
    },
    events: {
      onOutput: (entry) => tableFile?.saveOutputSoon(entry),
      onEnded: (entry) => notifyEnd(parts, entry),
      onEndingRead({ id, sessionId }) {
        parts.exitNotices.delete(id);
        parts.notices.withdraw(sessionId, id);
      },
    },
  };
  return parts;
}

/** A recovered process that has exited was already reported. */
function mustBeSaved(entry: ProcessEntry): boolean {
  return !entry.recovered || entry.ending() === undefined;
}

function notifyEnd({ exitNotices, notices, closed, save }: TableState, entry: ProcessEntry): void {
  const requested = exitNotices.get(entry.id);
  exitNotices.delete(entry.id);
  if (closed.signal.aborted) return;
  if (requested !== undefined) notices.add(entry.sessionId, entry.id, describeCompletion(entry, requested.reason));
  void save();
}

type RowsOptions = { most: number; clock: Clock; onRemoved(entry: ProcessEntry): void };

/** The rows of the table: running processes, and recently finished ones. */
interface Rows {
  /** Reserves a row and returns a function that releases it; undefined if the table is full. */
  reserve(): (() => void) | undefined;
  add(entry: ProcessEntry): void;
  /** Oldest first. */
  all(): ProcessEntry[];
}

function createRows({ most, clock, onRemoved }: RowsOptions): Rows {
  const rows = new Map<string, ProcessEntry>();
  let reserved = 0;

  function remove(entry: ProcessEntry): void {
    rows.delete(entry.id);
    onRemoved(entry);
  }

  function forgetOld(): void {
    for (const entry of rows.values()) {
      const endedAt = entry.ending()?.endedAt;
      if (endedAt !== undefined && clock.now() - endedAt > RETENTION_MS) remove(entry);
    }
  }

  /** Removes the processes that finished first. */
  function makeRoom(): void {
    const ended = [...rows.values()].filter((entry) => entry.ending() !== undefined);
    ended.sort((first, second) => (first.ending()?.endedAt ?? 0) - (second.ending()?.endedAt ?? 0));
    for (const entry of ended) {
      if (rows.size + reserved < most) return;
      remove(entry);
    }
  }

  return {
    reserve() {
      forgetOld();
      makeRoom();
      if (rows.size + reserved >= most) return undefined;
      reserved += 1;
      return () => {
        reserved -= 1;
      };
    },
    add: (entry) => void rows.set(entry.id, entry),
    all() {
      forgetOld();
      return [...rows.values()];
    },
  };
}

/** Notices queued until a session's next request. */
interface NoticeQueue extends Notices {
  /** Replaces a queued notice with the same key. */
  add(sessionId: string, key: string, text: string): void;
  withdraw(sessionId: string, key: string): void;
  /** Moves the queued notices of a session to the one that continues it. */
  continueSession(sessionId: string, childId: string): void;
  forget(sessionId: string): void;
}

type QueuedNotice = { key: string; text: string; replaced: number };

/** `newest` returns the session that continues a given one; both share a queue. */
function createNoticeQueue(newest: (sessionId: string) => string): NoticeQueue {
  const queues = new Map<string, QueuedNotice[]>();

  function queueOf(sessionId: string): QueuedNotice[] {
    const id = newest(sessionId);
    const queue = queues.get(id) ?? [];
    queues.set(id, queue);
    return queue;
  }

  function remove(sessionId: string, key: string): QueuedNotice | undefined {
    const queue = queueOf(sessionId);
    const index = queue.findIndex((waiting) => waiting.key === key);
    return index < 0 ? undefined : queue.splice(index, 1)[0];
  }

  return {
    continueSession(sessionId, childId) {
      queueOf(childId).unshift(...(queues.get(sessionId)?.splice(0) ?? []));
      queues.delete(sessionId);
    },
    forget: (sessionId) => void queues.delete(sessionId),
    add(sessionId, key, text) {
      const earlier = remove(sessionId, key);
      queueOf(sessionId).push({ key, text, replaced: earlier === undefined ? 0 : earlier.replaced + 1 });
    },
    withdraw: (sessionId, key) => void remove(sessionId, key),
    async deliver(sessionId, deliver) {
      const taken = queueOf(sessionId).splice(0);
      const text = taken.length === 0 ? undefined : taken.map(formatNotice).join('\n\n');
      try {
        await deliver(text);
        return text;
      } catch (thrown) {
        queueOf(sessionId).unshift(...taken);
        throw thrown;
      }
    },
  };
}

/** Mentions how many earlier notices this one replaced. */
function formatNotice({ text, replaced }: QueuedNotice): string {
  return replaced === 0
    ? text
    : `${text}\n(This notice replaces ${replaced} earlier notice${replaced > 1 ? 's' : ''}.)`;
}

/** Which session continues which: the newer one takes over everything of the older one. */
interface Continuations {
  add(sessionId: string, childId: string): void;
  newest(sessionId: string): string;
  /** Forgets which sessions this one continues, and which one continues it. */
  forget(sessionId: string): void;
}

function createContinuations(): Continuations {
  const children = new Map<string, string>();
  const newest = (sessionId: string) => {
    let found = sessionId;
    for (let next = children.get(found); next !== undefined; next = children.get(found)) found = next;
    return found;
  };
  return {
    newest,
    add(sessionId, childId) {
      // A cycle would make `newest` loop forever.
      if (sessionId !== childId && !children.has(childId)) children.set(sessionId, childId);
    },
    forget(sessionId) {
      const ancestors = [...children.keys()].filter((id) => newest(id) === sessionId);
      for (const id of [sessionId, ...ancestors]) children.delete(id);
    },
  };
}
