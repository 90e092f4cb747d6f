import { errorMessage, HermesError } from '../../base/index.ts';
import type { SessionExport, SessionStore } from '../../contracts/index.ts';
import { parseSessionExport } from '../../store/index.ts';

/**
 * Where an embedding program keeps its sessions, for example in a table of its own. A record is plain JSON and contains
 * the whole session.
 */
export interface SessionStorage {
  /** Stores a session in place of its earlier record. When the promise resolves, the record is durable. */
  save(record: SessionExport): Promise<void>;
  /** The last record of a session; undefined if there is none. */
  load(sessionId: string): Promise<SessionExport | undefined>;
}

/** Keeps sessions in the memory of this process, for tests and short-lived programs. */
export function createMemoryStorage(): SessionStorage {
  const records = new Map<string, string>();
  return {
    async save(record) {
      records.set(record.session.id, JSON.stringify(record));
    },
    async load(sessionId) {
      const record = records.get(sessionId);
      return record === undefined ? undefined : (JSON.parse(record) as SessionExport);
    },
  };
}

/** The storage is code of the program, and may return anything. */
function readRecord(record: unknown, sessionId: string): SessionExport {
  try {
    return parseSessionExport(record);
  } catch (thrown) {
    const message = `The storage returned no valid record of the session ${sessionId}: ${errorMessage(thrown)}`;
    throw new HermesError(message, { hint: 'Return what `save` was called with.', cause: thrown });
  }
}

/** Copies sessions from the working store to the storage of the program, and back when they are resumed. */
export interface SessionCopies {
  /** Makes a stored session and its ancestors available in the working store. */
  fetch(sessionId: string): Promise<void>;
  /** Saves a session. Calls during a running save are combined into one more save. */
  save(sessionId: string): Promise<void>;
}

export function createSessionCopies(storage: SessionStorage, store: SessionStore): SessionCopies {
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();

  async function saveNow(sessionId: string): Promise<void> {
    if ((await store.getSession(sessionId)) === undefined) return;
    const record = await store.exportSession(sessionId);
    await storage.save(record).catch((thrown: unknown) => {
      const message = `The storage did not save the session ${sessionId}: ${errorMessage(thrown)}`;
      throw new HermesError(message, { cause: thrown });
    });
  }

  function start(sessionId: string): Promise<void> {
    const saving = saveNow(sessionId).finally(() => running.delete(sessionId));
    running.set(sessionId, saving);
    return saving;
  }

  return {
    async fetch(sessionId) {
      if ((await store.getSession(sessionId)) !== undefined) return;
      const record = await storage.load(sessionId);
      if (record === undefined) return;
      const valid = readRecord(record, sessionId);
      const { parentSessionId } = valid.session;
      if (parentSessionId !== undefined) await this.fetch(parentSessionId);
      await store.importSession(valid, { isOwnPrompt: true });
    },
    save(sessionId) {
      const current = running.get(sessionId);
      if (current === undefined) return start(sessionId);
      const next =
        waiting.get(sessionId) ??
        current
          .catch(() => undefined)
          .then(() => {
            waiting.delete(sessionId);
            return start(sessionId);
          });
      waiting.set(sessionId, next);
      return next;
    },
  };
}
