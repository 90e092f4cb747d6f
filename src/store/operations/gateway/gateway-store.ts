import type { GatewayStore } from '../../../contracts/index.ts';
import type { Database, Transaction, Work } from '../../database.ts';
import { toSeconds } from '../../rows/values.ts';
import { createAccounts } from './accounts.ts';
import { createInbox } from './inbox.ts';
import { createOutbox } from './outbox.ts';
import { createStoredPairing } from './pairing.ts';
import { createReports } from './reports.ts';

const PRUNE_INBOX = `DELETE FROM gateway_inbox WHERE state IN ('done', 'parked') AND received_at < ?1`;
const PRUNE_OUTBOX = `DELETE FROM gateway_outbox WHERE state IN ('sent', 'failed', 'expired') AND created_at < ?1`;
// Each request to a webhook is a chat of its own, which is never used again.
const PRUNE_REQUESTS = `DELETE FROM gateway_conversations
WHERE account LIKE 'webhook:%' AND waiting_since IS NULL AND updated_at < ?1`;

export function createGatewayStore(database: Database): GatewayStore {
  return {
    ...createAccounts(database),
    ...createInbox(database),
    ...createOutbox(database),
    ...createReports(database),
    pairing: createStoredPairing(database),
    pruneGateway: (before) => database.write((db) => prune(db, before)),
  };
}

function* prune(db: Transaction, before: number): Work<void> {
  yield* db.run(PRUNE_INBOX, toSeconds(before));
  yield* db.run(PRUNE_OUTBOX, toSeconds(before));
  yield* db.run(PRUNE_REQUESTS, toSeconds(before));
}
