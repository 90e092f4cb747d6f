import { type JsonObject, parseJson } from '../../../base/index.ts';
import {
  type GatewayOutbox,
  type HeldAccount,
  MAX_SEND_WAIT_MS,
  type NewOutgoing,
  OUTGOING_KINDS,
  type OutgoingKind,
  type OutgoingMessage,
  type SendOutcome,
} from '../../../contracts/index.ts';
import type { Database, Transaction, Work } from '../../database.ts';
import { readObject, toMilliseconds, toSeconds } from '../../rows/values.ts';

type OutboxRow = {
  id: string;
  conversation_key: string;
  account: string;
  kind: OutgoingKind;
  body: string;
  attempts: number;
  may_have_arrived: number;
  created_at: number;
};

const INSERT = `INSERT INTO gateway_outbox
(id, conversation_key, account, kind, priority, body, state, attempts, may_have_arrived, not_before, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'pending', 0, 0, 0, ?7) ON CONFLICT (id) DO NOTHING`;
const IS_HOLDER = 'SELECT 1 FROM gateway_accounts WHERE account = ?1 AND holder_token = ?2 {forShare}';
// Only one process sends for an account, so a message that another one is sending has been abandoned.
const RECOVER = `UPDATE gateway_outbox SET state = 'pending', may_have_arrived = 1
WHERE account = ?1 AND state = 'sending' AND holder_token <> ?2`;
const NEXT = `SELECT * FROM gateway_outbox o WHERE o.account = ?1 AND o.state = 'pending'
AND (o.not_before <= ?2 OR o.not_before > ?2 + ?4) AND NOT EXISTS (SELECT 1 FROM gateway_outbox e WHERE e.account = o.account
AND e.conversation_key = o.conversation_key AND (e.state = 'sending'
OR (e.state = 'pending' AND (e.priority, e.sequence) < (o.priority, o.sequence))))
ORDER BY o.priority, o.sequence LIMIT ?3`;
const START = `UPDATE gateway_outbox SET state = 'sending', attempts = attempts + 1, holder_token = ?2 WHERE id = ?1`;
const SENT = `UPDATE gateway_outbox SET state = 'sent', platform_ids = ?3, sent_at = ?4, error = NULL
WHERE id = ?1 AND holder_token = ?2 AND state = 'sending'`;
const RETRY = `UPDATE gateway_outbox SET state = 'pending', not_before = ?3, error = ?4,
may_have_arrived = CASE WHEN ?5 = 1 THEN 1 ELSE may_have_arrived END
WHERE id = ?1 AND holder_token = ?2 AND state = 'sending'`;
const END = `UPDATE gateway_outbox SET state = ?3, error = ?4 WHERE id = ?1 AND holder_token = ?2 AND state = 'sending'`;

const PLATFORM_IDS = `SELECT platform_ids FROM gateway_outbox WHERE id = ?1 AND state = 'sent'`;
const UNSENT = `SELECT 1 FROM gateway_outbox WHERE account = ?1 AND state IN ('pending', 'sending') LIMIT 1`;

export function createOutbox(database: Database): GatewayOutbox {
  return {
    addOutgoing: (messages) => database.write((db) => insertAll(db, messages)),
    takeOutgoing: (held, options) => database.write((db) => take(db, held, options)),
    settleOutgoing: (held, id, outcome) => database.write((db) => settle(db, held, id, outcome)),
    findPlatformIds: (id) => database.read((db) => findPlatformIds(db, id)),
    hasUnsent: (account) => database.read((db) => hasUnsent(db, account)),
  };
}

function* insertAll(db: Transaction, messages: readonly NewOutgoing[]): Work<void> {
  for (const message of messages) yield* insertOutgoing(db, message);
}

export function* insertOutgoing(db: Transaction, message: NewOutgoing): Work<void> {
  const { id, key, account, kind, body, createdAt } = message;
  const priority = OUTGOING_KINDS.indexOf(kind);
  yield* db.run(INSERT, id, key, account, kind, priority, JSON.stringify(body), toSeconds(createdAt));
}

type TakeOptions = { now: number; limit: number };

function* take(db: Transaction, { account, token }: HeldAccount, options: TakeOptions): Work<OutgoingMessage[]> {
  if ((yield* db.get(IS_HOLDER, account, token)) === undefined) return [];
  yield* db.run(RECOVER, account, token);
  const times = [toSeconds(options.now), options.limit, MAX_SEND_WAIT_MS / 1000];
  const rows = yield* db.all<OutboxRow>(NEXT, account, ...times);
  for (const { id } of rows) yield* db.run(START, id, token);
  return rows.map(toOutgoing);
}

/** SQLite of Node 22 ends a text at the character 0. */
function readable(error: string): string {
  return error.replaceAll('\0', '');
}

function* settle(db: Transaction, { token }: HeldAccount, id: string, outcome: SendOutcome): Work<void> {
  if (outcome.state === 'sent') {
    yield* db.run(SENT, id, token, JSON.stringify(outcome.platformIds), toSeconds(outcome.at));
  } else if (outcome.state === 'retry') {
    const { notBefore, mayHaveArrived } = outcome;
    yield* db.run(RETRY, id, token, toSeconds(notBefore), readable(outcome.error), mayHaveArrived ? 1 : 0);
  } else yield* db.run(END, id, token, outcome.state, readable(outcome.error));
}

function* findPlatformIds(db: Transaction, id: string): Work<readonly string[] | undefined> {
  const row = yield* db.get<{ platform_ids: string | null }>(PLATFORM_IDS, id);
  const ids = parseJson(row?.platform_ids ?? '');
  return Array.isArray(ids) ? ids.map(String) : undefined;
}

function* hasUnsent(db: Transaction, account: string): Work<boolean> {
  return (yield* db.get(UNSENT, account)) !== undefined;
}

function toOutgoing(row: OutboxRow): OutgoingMessage {
  return {
    id: row.id,
    key: row.conversation_key,
    account: row.account,
    kind: row.kind,
    body: (readObject(row.body) ?? {}) as JsonObject,
    createdAt: toMilliseconds(row.created_at),
    attempts: row.attempts + 1,
    mayHaveArrived: row.may_have_arrived === 1,
  };
}
