import type { SessionStore, SessionWrites } from '../../contracts/index.ts';
import type { Database } from '../database.ts';
import { createAccounting } from './accounting.ts';
import { createBlobs } from './blobs.ts';
import { createLeases, underLease } from './leases.ts';
import { createLineage } from './lineage.ts';
import { createMessages } from './messages.ts';
import { createQuestions } from './questions.ts';
import { createRemoval, type RemovalOptions } from './removal.ts';
import { createSessionChanges } from './session-changes.ts';
import { createSessionExport } from './session-export.ts';
import { createSessionSetups } from './session-setups.ts';
import { createSessionLookup } from './session-lookup.ts';
import { createStatistics } from './statistics.ts';
import { createTurnCommands } from './turn-commands.ts';
import { createUndo } from './undo.ts';

/** The search is implemented separately for each database, because they differ too much. */
export type Search = Pick<SessionStore, 'searchMessages'> & {
  /** Called after messages were stored. */
  onAppended?(messages: number): void;
};

export function createSessionStore(database: Database, search: Search, options: RemovalOptions): SessionStore {
  const writes = (through: Database) => createWrites(through, search);
  return {
    ...createSessionLookup(database),
    ...createLineage(database),
    ...createMessages(database),
    ...createAccounting(database),
    ...createSessionExport(database),
    ...createRemoval(database, options),
    ...createLeases(database),
    ...createBlobs(database),
    ...createStatistics(database),
    ...createSessionSetups(database),
    ...createQuestions(database),
    ...createTurnCommands(database),
    ...writes(database),
    openApiStore: async () => (await import('./api/api-store.ts')).createApiStore(database),
    getFileChanges: async (id) => (await import('./read-file-changes.ts')).readFileChanges(database, id),
    openCronStore: async () => (await import('./cron/cron-store.ts')).createCronStore(database),
    openResponseStore: async () => (await import('./api/response-store.ts')).createResponseStore(database),
    openGatewayStore: async () => (await import('./gateway/gateway-store.ts')).createGatewayStore(database),
    importSession: async (record, how) => (await import('./session-import.ts')).importSession(database, record, how),
    searchMessages: (query) => search.searchMessages(query),
    writeUnder: (lease) => writes(underLease(database, lease)),
    close: () => database.close(),
  };
}

function createWrites(database: Database, search: Search): SessionWrites {
  const messages = createMessages(database);
  const { recordCall, recordTurn } = createAccounting(database);
  const { splitSession } = createLineage(database);
  const { putBlob } = createBlobs(database);
  const { setSessionSetup } = createSessionSetups(database);
  return {
    ...createSessionChanges(database),
    ...createUndo(database),
    async appendMessages(sessionId, appended, call, details) {
      await messages.appendMessages(sessionId, appended, call, details);
      search.onAppended?.(appended.length);
    },
    setAttachments: messages.setAttachments,
    setSentContent: messages.setSentContent,
    recordCall,
    recordTurn,
    splitSession,
    setSessionSetup,
    putBlob,
  };
}
