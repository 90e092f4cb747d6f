import type { SessionStore, SessionWrites } from '../../contracts/index.ts';
import { createAccounting } from './accounting.ts';
import { createBlobs } from './blobs.ts';
import type { Connection } from './connection.ts';
import { createLazySearch } from './lazy-search.ts';
import { createLeases, underLease } from './leases.ts';
import { createLineage } from './lineage.ts';
import { createMessages } from './messages.ts';
import type { RemovalOptions } from '../removal-rules.ts';
import { createRemoval } from './removal.ts';
import { createSessionChanges } from './session-changes.ts';
import { createSessionExport } from './session-export.ts';
import { importSession } from './session-import.ts';
import { createRemovedCalls } from './removed-calls.ts';
import { createSessionLookup } from './session-lookup.ts';
import { createStatistics } from './statistics.ts';
import { createUndo } from './undo.ts';

type StoreOptions = RemovalOptions & {
  /** The messages of many agents are seldom searched: the index is brought up to them when that is done. */
  forMany?: boolean | undefined;
};

export function createSqliteStore(connection: Connection, options: StoreOptions = {}): SessionStore {
  const search = createLazySearch(connection, { whenAsked: options.forMany ?? false });
  const writes = (through: Connection) => createWrites(through, search.noteAppended);
  return {
    ...createSessionLookup(connection),
    ...createLineage(connection),
    ...createMessages(connection),
    ...createAccounting(connection),
    searchMessages: search.searchMessages,
    ...createSessionExport(connection),
    importSession: (record) => importSession(connection, record),
    ...createRemovedCalls(connection),
    ...createRemoval(connection, options),
    ...createLeases(connection),
    ...createBlobs(connection),
    ...createStatistics(connection),
    ...writes(connection),
    writeUnder: (lease) => writes(underLease(connection, lease)),
    close: () => connection.close(),
  };
}

function createWrites(connection: Connection, noteAppended: (messages: number) => void): SessionWrites {
  const { appendMessages, setAttachments, setSentContent } = createMessages(connection);
  const { recordCall, recordTurn } = createAccounting(connection);
  const { splitSession } = createLineage(connection);
  const { putBlob } = createBlobs(connection);
  return {
    ...createSessionChanges(connection),
    ...createUndo(connection),
    async appendMessages(sessionId, appended, call, details) {
      await appendMessages(sessionId, appended, call, details);
      noteAppended(appended.length);
    },
    setAttachments,
    setSentContent,
    recordCall,
    recordTurn,
    splitSession,
    putBlob,
  };
}
