import type {
  AccountReport,
  GatewayConversation,
  GatewayFigures,
  GatewayReports,
  NewChatMessages,
  OutgoingState,
  SendErrorReport,
  WorkingReport,
} from '../../../contracts/index.ts';
import type { Database, Transaction, Work } from '../../database.ts';
import { toMilliseconds } from '../../rows/values.ts';
import { type ConversationRow, toConversation } from './inbox.ts';

const INBOX_FIGURES = `SELECT state, COUNT(*) AS count, MIN(received_at) AS oldest FROM gateway_inbox
WHERE state <> 'done' GROUP BY state`;
const OUTBOX_FIGURES = `SELECT state, COUNT(*) AS count, MIN(created_at) AS oldest FROM gateway_outbox
WHERE state <> 'sent' GROUP BY state`;
// The condition is that of the index.
const UNFINISHED = "SELECT COUNT(*) AS count FROM gateway_inbox WHERE state IN ('waiting', 'working')";
// Messages cannot be sent to requests of webhooks.
const CHATS = `SELECT * FROM gateway_conversations WHERE account NOT LIKE 'webhook:%'
ORDER BY updated_at DESC, key LIMIT ?1`;
const NEWEST_ID = 'SELECT MAX(id) AS id FROM messages';
const CHANGED_CHATS = `SELECT DISTINCT c.key, c.session_id FROM messages m
JOIN gateway_conversations c ON c.session_id = m.session_id
WHERE m.id > ?1 AND c.account NOT LIKE 'webhook:%' ORDER BY c.key`;
const DELIVERY = 'SELECT id, state, error FROM gateway_outbox WHERE id = ?1';
const ACCOUNTS = `SELECT account, CASE WHEN holder_token IS NOT NULL AND leased_until >= {now ?1} THEN holder END AS holder
FROM gateway_accounts ORDER BY account`;
const INBOX_BY_ACCOUNT = `SELECT account, state, COUNT(*) AS count, MAX(received_at) AS newest FROM gateway_inbox
GROUP BY account, state`;
const OUTBOX_BY_ACCOUNT = `SELECT account, state, COUNT(*) AS count, MAX(sent_at) AS newest FROM gateway_outbox
GROUP BY account, state`;
const SEND_ERRORS = `SELECT account, conversation_key, created_at, attempts, error, state FROM gateway_outbox
WHERE state <> 'sent' AND error IS NOT NULL ORDER BY sequence DESC LIMIT ?1`;
const WORKING = `SELECT i.conversation_key, MIN(i.received_at) AS since, MAX(i.attempts) AS attempts,
MAX(CASE WHEN c.owner_token IS NOT NULL AND c.leased_until >= {now ?1} THEN c.owner END) AS owner
FROM gateway_inbox i LEFT JOIN gateway_conversations c ON c.key = i.conversation_key
WHERE i.state = 'working' GROUP BY i.conversation_key ORDER BY since LIMIT ?2`;

export function createReports(database: Database): GatewayReports {
  return {
    figures: () => database.read(readFigures),
    countUnfinished: () => database.read(countUnfinished),
    listGatewayConversations: (limit) => database.read((db) => listChats(db, limit)),
    findNewMessages: (after) => database.read((db) => findNewMessages(db, after)),
    getDeliveries: (ids) => database.read((db) => findDeliveries(db, ids)),
    listAccounts: () => database.read(listAccounts),
    listSendErrors: (limit) => database.read((db) => listSendErrors(db, limit)),
    listWorking: (limit) => database.read((db) => listWorking(db, limit)),
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

function* countUnfinished(db: Transaction): Work<number> {
  return (yield* db.get<{ count: number }>(UNFINISHED))?.count ?? 0;
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

function* listChats(db: Transaction, limit: number): Work<GatewayConversation[]> {
  return (yield* db.all<ConversationRow>(CHATS, limit)).map(toConversation);
}

function* findNewMessages(db: Transaction, after: number): Work<NewChatMessages> {
  const newest = yield* db.get<{ id: number | null }>(NEWEST_ID);
  const chats = yield* db.all<{ key: string; session_id: string }>(CHANGED_CHATS, after);
  return { newestId: newest?.id ?? 0, chats: chats.map(({ key, session_id: sessionId }) => ({ key, sessionId })) };
}

function* findDeliveries(db: Transaction, ids: readonly string[]): Work<OutgoingState[]> {
  const found: OutgoingState[] = [];
  for (const id of ids) {
    const row = yield* db.get<Omit<OutgoingState, 'error'> & { error: string | null }>(DELIVERY, id);
    if (row !== undefined) found.push({ id: row.id, state: row.state, error: row.error ?? undefined });
  }
  return found;
}

type AccountRow = { account: string; holder: string | null };
type CountRow = { account: string; state: string; count: number; newest: number | null };

function* listAccounts(db: Transaction): Work<AccountReport[]> {
  const inbox = yield* db.all<CountRow>(INBOX_BY_ACCOUNT);
  const outbox = yield* db.all<CountRow>(OUTBOX_BY_ACCOUNT);
  const accounts = yield* db.all<AccountRow>(ACCOUNTS, db.leaseTime());
  return accounts.map(({ account, holder }) => {
    const of = (rows: readonly CountRow[]) => rows.filter((row) => row.account === account);
    const count = (rows: readonly CountRow[], ...states: string[]) =>
      of(rows).reduce((sum, row) => sum + (states.includes(row.state) ? row.count : 0), 0);
    return {
      account,
      holder: holder ?? undefined,
      lastReceivedAt: newestOf(of(inbox)),
      lastSentAt: newestOf(of(outbox)),
      waiting: count(inbox, 'waiting', 'working'),
      unsent: count(outbox, 'pending', 'sending'),
      failed: count(outbox, 'failed', 'expired'),
    };
  });
}

function newestOf(rows: readonly CountRow[]): number | undefined {
  const times = rows.flatMap(({ newest }) => newest ?? []);
  return times.length === 0 ? undefined : toMilliseconds(Math.max(...times));
}

type ErrorRow = {
  account: string;
  conversation_key: string;
  created_at: number;
  attempts: number;
  error: string;
  state: string;
};

function* listSendErrors(db: Transaction, limit: number): Work<SendErrorReport[]> {
  return (yield* db.all<ErrorRow>(SEND_ERRORS, limit)).map((row) => ({
    account: row.account,
    key: row.conversation_key,
    createdAt: toMilliseconds(row.created_at),
    attempts: row.attempts,
    error: row.error,
    isFinal: row.state === 'failed' || row.state === 'expired',
  }));
}

type WorkingRow = { conversation_key: string; since: number; attempts: number; owner: string | null };

function* listWorking(db: Transaction, limit: number): Work<WorkingReport[]> {
  return (yield* db.all<WorkingRow>(WORKING, db.leaseTime(), limit)).map((row) => ({
    key: row.conversation_key,
    since: toMilliseconds(row.since),
    attempts: row.attempts,
    owner: row.owner ?? undefined,
  }));
}
