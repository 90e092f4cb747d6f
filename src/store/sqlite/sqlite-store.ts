import type { SessionStore } from '../../contracts/index.ts';
import { createAccounting } from './accounting.ts';
import type { Connection } from './connection.ts';
import { createLazySearch } from './lazy-search.ts';
import { createMessages } from './messages.ts';
import { createSessionChanges } from './session-changes.ts';
import { createSessionLookup } from './session-lookup.ts';

export function createSqliteStore(connection: Connection): SessionStore {
  const messages = createMessages(connection);
  const search = createLazySearch(connection);
  return {
    ...createSessionLookup(connection),
    ...createSessionChanges(connection),
    ...messages,
    async appendMessages(sessionId, appended, call) {
      await messages.appendMessages(sessionId, appended, call);
      search.noteAppended(appended.length);
    },
    ...createAccounting(connection),
    searchMessages: search.searchMessages,
    close: () => connection.close(),
  };
}
