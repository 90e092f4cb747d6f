import type { SessionStore } from '../../contracts/index.ts';
import { createAccounting } from './accounting.ts';
import { createBlobs } from './blobs.ts';
import type { Connection } from './connection.ts';
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
  return {
    ...createSessionLookup(connection),
    ...createSessionChanges(connection),
    ...createLineage(connection),
    ...createMessages(connection),
    ...createAccounting(connection),
    ...createSessionExport(connection),
    importSession: (record) => importSession(connection, record),
    ...createRemoval(connection, options),
    ...createLeases(connection),
    ...createBlobs(connection),
    ...createStatistics(connection),
    close: () => connection.close(),
  };
}
