import type { GatewayFigures, GatewayStore } from '../../../contracts/index.ts';
import type { Database, Transaction, Work } from '../../database.ts';
import { toMilliseconds, toSeconds } from '../../rows/values.ts';
import { createAccounts } from './accounts.ts';
import { createInbox } from './inbox.ts';
import { createOutbox } from './outbox.ts';

const INBOX_FIGURES = `SELECT state, COUNT(*) AS count, MIN(received_at) AS oldest FROM gateway_inbox
WHERE state <> 'done' GROUP BY state`;
const OUTBOX_FIGURES = `SELECT state, COUNT(*) AS count, MIN(created_at) AS oldest FROM gateway_outbox
WHERE state <> 'sent' GROUP BY state`;
const PRUNE_INBOX = `DELETE FROM gateway_inbox WHERE state IN ('done', 'parked') AND received_at < ?1`;
const PRUNE_OUTBOX = `DELETE FROM gateway_outbox WHERE state IN ('sent', 'failed', 'expired') AND created_at < ?1`;

export function createGatewayStore(database: Database): GatewayStore {
  return {
    ...createAccounts(database),
    ...createInbox(database),
    ...createOutbox(database),
    figures: () => database.read(readFigures),
    pruneGateway: (before) => database.write((db) => prune(db, before)),
  };
}

function* readFigures(db: Transaction): Work<GatewayFigures> {
  const inbox = yield* readStates(db, INBOX_FIGURES);
  const outbox = yield* readStates(db, OUTBOX_FIGURES);
  const waiting = inbox.only('waiting', 'working');
  const unsent = outbox.only('pending', 'sending');
  return {
    waiting: waiting.count,
    waitingSince: waiting.since,
    parked: inbox.only('parked').count,
    unsent: unsent.count,
    unsentSince: unsent.since,
    failed: outbox.only('failed', 'expired').count,
  };
}

type StateRow = { state: string; count: number; oldest: number };

function* readStates(db: Transaction, sql: string) {
  const rows = yield* db.all<StateRow>(sql);
  return {
    only(...states: string[]): { count: number; since: number | undefined } {
      const counted = rows.filter(({ state }) => states.includes(state));
      const count = counted.reduce((sum, row) => sum + row.count, 0);
      const times = counted.map(({ oldest }) => toMilliseconds(oldest));
      return { count, since: times.length === 0 ? undefined : Math.min(...times) };
    },
  };
}

function* prune(db: Transaction, before: number): Work<void> {
  yield* db.run(PRUNE_INBOX, toSeconds(before));
  yield* db.run(PRUNE_OUTBOX, toSeconds(before));
}
