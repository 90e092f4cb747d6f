import type { SessionStore } from '../../contracts/index.ts';
import { createAccounting } from './accounting.ts';
import { createBlobs } from './blobs.ts';
import type { Connection } from './connection.ts';
import { createLazySearch } from './lazy-search.ts';
import { createLeases } from './leases.ts';
import { createLineage } from './lineage.ts';
import { createMessages } from './messages.ts';
import { createRemoval, type RemovalOptions } from './removal.ts';
import { createSessionChanges } from './session-changes.ts';
import { createSessionExport } from './session-export.ts';
import { importSession } from './session-import.ts';
import { createSessionLookup } from './session-lookup.ts';
import { createStatistics } from './statistics.ts';

export function createSqliteStore(connection: Connection, options: RemovalOptions = {}): SessionStore {
  const messages = createMessages(connection);
  const search = createLazySearch(connection);
  return {
    ...createSessionLookup(connection),
    ...createSessionChanges(connection),
    ...createLineage(connection),
    ...messages,
    async appendMessages(sessionId, appended, call, details) {
      await messages.appendMessages(sessionId, appended, call, details);
      search.noteAppended(appended.length);
    },
    ...createAccounting(connection),
    searchMessages: search.searchMessages,
    ...createSessionExport(connection),
    importSession: (record) => importSession(connection, record),
    ...createRemoval(connection, options),
    ...createLeases(connection),
    ...createBlobs(connection),
    ...createStatistics(connection),
    close: () => connection.close(),
  };
}
