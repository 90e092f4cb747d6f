import type { SessionStore } from '../../contracts/index.ts';
import { createAccounting } from './accounting.ts';
import type { Connection } from './connection.ts';
import { createMessages } from './messages.ts';
import { createSessionChanges } from './session-changes.ts';
import { createSessionLookup } from './session-lookup.ts';

export function createSqliteStore(connection: Connection): SessionStore {
  return {
    ...createSessionLookup(connection),
    ...createSessionChanges(connection),
    ...createMessages(connection),
    ...createAccounting(connection),
    close: () => connection.close(),
  };
}
