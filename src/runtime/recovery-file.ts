import { join } from 'node:path';
import { type Clock, errorMessage, type Message, newSessionId, StoreReplaced } from '../base/index.ts';
import type { ExportedMessage, Logger, SessionExport, SessionStore } from '../contracts/index.ts';
import { ensurePrivateFolder, writeFileAtomic } from '../util/index.ts';

export type RecoveryOptions = { folder: string; clock: Clock; logger: Logger };

/** A session whose store was replaced, with the messages that could not be stored. */
type Unsaved = { file: string; newId: string; messages: ExportedMessage[] };

/**
 * A store that saves a session to a file if the database was replaced during a turn. The file contains what the old
 * database has of the session, which this process can still read, and the messages that could not be stored. It can
 * be imported with `hermes sessions import`, under a new id, because the new database may have the session too.
 */
export function createRecoveringStore(store: SessionStore, options: RecoveryOptions): SessionStore {
  const unsaved = new Map<string, Unsaved>();

  function entryFor(sessionId: string): Unsaved {
    const newId = newSessionId(options.clock.now());
    const entry = unsaved.get(sessionId) ?? { file: join(options.folder, `${newId}.jsonl`), newId, messages: [] };
    unsaved.set(sessionId, entry);
    return entry;
  }

  async function recover(thrown: unknown, sessionId: string, messages: readonly Message[]): Promise<never> {
    if (!(thrown instanceof StoreReplaced)) throw thrown;
    const entry = entryFor(sessionId);
    entry.messages.push(...messages.map((message) => ({ timestamp: options.clock.now(), message })));
    try {
      const record = toRecovered(await store.exportSession(sessionId), entry);
      await ensurePrivateFolder(options.folder);
      await writeFileAtomic(entry.file, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    } catch (failed) {
      // A session of which nothing was stored cannot be exported.
      options.logger.error('could not save a session whose database was replaced', { sessionId }, failed);
      throw new StoreReplaced(thrown.file, thrown.fate, `The session could not be saved: ${errorMessage(failed)}`);
    }
    throw new StoreReplaced(thrown.file, thrown.fate, recoveryHint(entry));
  }

  return {
    ...store,
    appendMessages: (id, messages, ...rest) =>
      store.appendMessages(id, messages, ...rest).catch((thrown: unknown) => recover(thrown, id, messages)),
    recordTurn: (turn) => store.recordTurn(turn).catch((thrown: unknown) => recover(thrown, turn.sessionId, [])),
    recordCall: (id, call) => store.recordCall(id, call).catch((thrown: unknown) => recover(thrown, id, [])),
    setSentContent: (id, content) =>
      store.setSentContent(id, content).catch((thrown: unknown) => recover(thrown, id, [])),
    splitSession: (id, child, messages) =>
      store.splitSession(id, child, messages).catch((thrown: unknown) => recover(thrown, id, [])),
  };
}

function recoveryHint({ file, newId }: Unsaved): string {
  return (
    `The whole session is saved in ${file}. Exit Hermes, run \`hermes sessions import ${file}\`, ` +
    `and continue with \`hermes --resume ${newId}\`.`
  );
}

/** A session of its own: the new database may have its parent or not. */
function toRecovered(
  { session, messages, ...rest }: SessionExport,
  { newId, messages: added }: Unsaved,
): SessionExport {
  const { parentSessionId: _, isBranch: __, endedAt: ___, endReason: ____, ...kept } = session;
  const title = session.title === undefined ? {} : { title: `${session.title} (recovered)` };
  return { ...rest, session: { ...kept, ...title, id: newId }, messages: [...messages, ...added] };
}
