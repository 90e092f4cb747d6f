import type { SessionStore } from '../../contracts/index.ts';
import { createAccounting } from './accounting.ts';
import type { Connection } from './connection.ts';
import { createMessages } from './messages.ts';
import { createSessionChanges } from './session-changes.ts';
import { createSearch } from './search.ts';
import { createSearchIndex } from './search-index.ts';
import { createSessionLookup } from './session-lookup.ts';

export function createSqliteStore(connection: Connection): SessionStore {
  const messages = createMessages(connection);
  const searchIndex = createSearchIndex(connection);
  return {
    ...createSessionLookup(connection),
    ...createSessionChanges(connection),
    ...messages,
    async appendMessages(sessionId, appended, call) {
      await messages.appendMessages(sessionId, appended, call);
      searchIndex.noteAppended(appended.length);
    },
    ...createAccounting(connection),
    ...createSearch(connection, searchIndex),
    close: () => connection.close(),
  };
}
