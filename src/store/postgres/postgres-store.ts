import type { SessionStore, SessionWrites } from '../../contracts/index.ts';
import type { RemovalOptions } from '../removal-rules.ts';
import { createAccounting } from './accounting.ts';
import { createBlobs } from './blobs.ts';
import type { Connection } from './connection.ts';
import { createLeases, underLease } from './leases.ts';
import { createLineage } from './lineage.ts';
import { createMessages } from './messages.ts';
import { createRemoval } from './removal.ts';
import { createSearch } from './search.ts';
import { createSessionChanges } from './session-changes.ts';
import { createSessionExport } from './session-export.ts';
import { importSession } from './session-import.ts';
import { createRemovedCalls } from './removed-calls.ts';
import { createSessionLookup } from './session-lookup.ts';
import { createStatistics } from './statistics.ts';
import { createUndo } from './undo.ts';

export function createPostgresStore(connection: Connection, options: RemovalOptions = {}): SessionStore {
  return {
    ...createSessionLookup(connection),
    ...createLineage(connection),
    ...createMessages(connection),
    ...createAccounting(connection),
    ...createSearch(connection),
    ...createSessionExport(connection),
    importSession: (record) => importSession(connection, record),
    ...createRemovedCalls(connection),
    ...createRemoval(connection, options),
    ...createLeases(connection),
    ...createBlobs(connection),
    ...createStatistics(connection),
    ...createWrites(connection),
    writeUnder: (lease) => createWrites(underLease(connection, lease)),
    close: () => connection.close(),
  };
}

function createWrites(connection: Connection): SessionWrites {
  const { appendMessages, setAttachments, setSentContent } = createMessages(connection);
  const { recordCall, recordTurn } = createAccounting(connection);
  const { splitSession } = createLineage(connection);
  const { putBlob } = createBlobs(connection);
  return {
    ...createSessionChanges(connection),
    ...createUndo(connection),
    ...{ appendMessages, setAttachments, setSentContent, recordCall, recordTurn, splitSession, putBlob },
  };
}
