import { type JsonObject, newId } from '../../../base/index.ts';
import type {
  AssignedTurn,
  ChatClaim,
  ClaimedChat,
  ConversationChanges,
  FinishedWork,
  GatewayConversation,
  GatewayInbox,
  HeldAccount,
  InboxKind,
  InboxMessage,
  InboxState,
  NewInboxMessage,
} from '../../../contracts/index.ts';
import type { Database, Transaction, Work } from '../../database.ts';
import { readObject, toMilliseconds, toSeconds } from '../../rows/values.ts';
import { saveCursor } from './accounts.ts';
import { insertOutgoing } from './outbox.ts';

export type ConversationRow = {
  key: string;
  account: string;
  source: string;
  session_id: string | null;
  settings: string;
  updated_at: number;
};

type InboxRow = {
  id: number;
  conversation_key: string;
  account: string;
  external_id: string;
  kind: InboxKind;
  author: string;
  body: string;
  sent_at: number;
  received_at: number;
  state: InboxState;
  turn_id: string | null;
  turn_after: number | null;
  attempts: number;
};

const INSERT = `INSERT INTO gateway_inbox
(conversation_key, account, external_id, kind, author, body, sent_at, received_at, state, attempts)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'waiting', 0) ON CONFLICT (account, external_id) DO NOTHING`;
const ADD_CHAT = `INSERT INTO gateway_conversations
(key, account, source, settings, waiting_since, leased_until, updated_at) VALUES (?1, ?2, ?3, '{}', ?4, 0, ?4)
ON CONFLICT (key) DO UPDATE SET account = excluded.account, source = excluded.source, updated_at = excluded.updated_at,
waiting_since = COALESCE(gateway_conversations.waiting_since, excluded.waiting_since)`;

// A lease that ends later than any lease can was taken before a clock was set back.
const FREE = `SELECT * FROM gateway_conversations
WHERE waiting_since IS NOT NULL AND (owner_token IS NULL
OR (owner <> ?4 AND (leased_until < {now ?1} OR leased_until > {now ?1} + ?2)))`;
const NEXT = 'ORDER BY waiting_since, key LIMIT ?3 {skipLocked}';
const FREE_CHATS = `${FREE} AND account NOT LIKE 'webhook:%' ${NEXT}`;
// The text of a message is a field of its JSON. A quoted command counts too, which does no harm.
const FREE_COMMANDS = `${FREE} AND account NOT LIKE 'webhook:%' AND EXISTS (SELECT 1 FROM gateway_inbox i
WHERE i.conversation_key = gateway_conversations.key AND i.state = 'waiting' AND i.body LIKE '%"text":"/%') ${NEXT}`;
const FREE_REQUESTS = `${FREE} AND account LIKE 'webhook:%' ${NEXT}`;
const CLAIM = `UPDATE gateway_conversations SET owner = ?2, owner_token = ?3, leased_until = {now ?4} + ?5 WHERE key = ?1`;
const RENEW = 'UPDATE gateway_conversations SET leased_until = {now ?3} + ?4 WHERE key = ?1 AND owner_token = ?2';
const RELEASE = `UPDATE gateway_conversations SET owner = NULL, owner_token = NULL
WHERE key = ?1 AND owner_token = ?2`;
const HAS_CLAIM = 'SELECT 1 FROM gateway_conversations WHERE key = ?1 AND owner_token = ?2';
const IS_OWNER = 'SELECT 1 FROM gateway_conversations WHERE key = ?1 AND owner_token = ?2 {forUpdate}';
const BY_KEY = 'SELECT * FROM gateway_conversations WHERE key = ?1';

const UNFINISHED = `SELECT * FROM gateway_inbox WHERE conversation_key = ?1 AND state IN ('waiting', 'working')
ORDER BY id`;
const ASSIGN = `UPDATE gateway_inbox SET state = 'working', turn_id = ?3, turn_after = ?4,
attempts = attempts + 1
WHERE conversation_key = ?1 AND id = ?2 AND state IN ('waiting', 'working')`;
const RETURN = `UPDATE gateway_inbox SET state = 'waiting', attempts = attempts - 1
WHERE conversation_key = ?1 AND id = ?2 AND state = 'working'`;
const NEWEST_MESSAGE = 'SELECT MAX(id) AS id FROM messages';
const FINISH = `UPDATE gateway_inbox SET state = ?3 WHERE conversation_key = ?1 AND id = ?2`;
const SET_SESSION = 'UPDATE gateway_conversations SET session_id = ?2 WHERE key = ?1';
const SET_SETTINGS = 'UPDATE gateway_conversations SET settings = ?2 WHERE key = ?1';
const RECOUNT = `UPDATE gateway_conversations SET waiting_since = (
SELECT MIN(received_at) FROM gateway_inbox WHERE conversation_key = ?1 AND state IN ('waiting', 'working'))
WHERE key = ?1`;

export function createInbox(database: Database): GatewayInbox {
  return {
    receive: (messages, from) => database.write((db) => receive(db, messages, from)),
    claimChats: (options) => database.write((db) => claimChats(db, options)),
    renewClaim: (claim, ttlMs) => database.write((db) => renew(db, claim, ttlMs)),
    releaseClaim: (claim) => database.write((db) => release(db, claim)),
    listUnfinished: (claim) => database.read((db) => listUnfinished(db, claim)),
    assignMessages: (claim, turn, messages) => database.write((db) => assign(db, claim, { turn, messages })),
    returnMessages: (claim, messages) => database.write((db) => giveBack(db, claim, messages)),
    finishWork: (claim, work) => database.write((db) => finish(db, claim, work)),
    getGatewayConversation: (key) => database.read((db) => findConversation(db, key)),
  };
}

type Received = { held: HeldAccount; cursor: JsonObject };

function* receive(
  db: Transaction,
  messages: readonly NewInboxMessage[],
  from: Received | undefined,
): Work<readonly NewInboxMessage[] | 'not_holder'> {
  if (from !== undefined && !(yield* saveCursor(db, from.held, from.cursor))) return 'not_holder';
  const added: NewInboxMessage[] = [];
  for (const message of messages) if (yield* insert(db, message)) added.push(message);
  return added;
}

function* insert(db: Transaction, message: NewInboxMessage): Work<boolean> {
  const { chat, externalId, kind, author, body, sentAt, receivedAt } = message;
  const texts = [chat.key, chat.account, externalId, kind, author, JSON.stringify(body)];
  const added = yield* db.run(INSERT, ...texts, toSeconds(sentAt), toSeconds(receivedAt));
  if (added === 0) return false;
  yield* db.run(ADD_CHAT, chat.key, chat.account, JSON.stringify(chat.source), toSeconds(receivedAt));
  return true;
}

type ClaimOptions = Parameters<GatewayInbox['claimChats']>[0];

function* claimChats(db: Transaction, options: ClaimOptions): Work<ClaimedChat[]> {
  const { owner, limit, onlyCommands = false, requestLimit = onlyCommands ? 0 : limit, ttlMs } = options;
  const ttl = ttlMs / 1000;
  const chats = yield* db.all<ConversationRow>(
    onlyCommands ? FREE_COMMANDS : FREE_CHATS,
    db.leaseTime(),
    ttl,
    limit,
    owner,
  );
  const left = Math.min(requestLimit, limit - chats.length);
  const requests = left > 0 ? yield* db.all<ConversationRow>(FREE_REQUESTS, db.leaseTime(), ttl, left, owner) : [];
  const claimed: ClaimedChat[] = [];
  for (const row of [...chats, ...requests]) {
    const token = newId('claim');
    yield* db.run(CLAIM, row.key, owner, token, db.leaseTime(), ttl);
    claimed.push({ key: row.key, token, conversation: toConversation(row) });
  }
  return claimed;
}

function* renew(db: Transaction, { key, token }: ChatClaim, ttlMs: number): Work<boolean> {
  return (yield* db.run(RENEW, key, token, db.leaseTime(), ttlMs / 1000)) > 0;
}

function* release(db: Transaction, { key, token }: ChatClaim): Work<void> {
  yield* db.run(RELEASE, key, token);
}

function* listUnfinished(db: Transaction, { key, token }: ChatClaim): Work<InboxMessage[] | 'lost'> {
  if ((yield* db.get(HAS_CLAIM, key, token)) === undefined) return 'lost';
  return (yield* db.all<InboxRow>(UNFINISHED, key)).map(toMessage);
}

type Assignment = { turn: AssignedTurn; messages: readonly number[] };

function* assign(db: Transaction, { key, token }: ChatClaim, { turn, messages }: Assignment): Work<boolean> {
  if ((yield* db.get(IS_OWNER, key, token)) === undefined) return false;
  const newest = yield* db.get<{ id: number | null }>(NEWEST_MESSAGE);
  for (const id of messages) yield* db.run(ASSIGN, key, id, turn.turnId, newest?.id ?? 0);
  yield* db.run(SET_SESSION, key, turn.sessionId);
  return true;
}

function* giveBack(db: Transaction, { key, token }: ChatClaim, messages: readonly number[]): Work<void> {
  if ((yield* db.get(IS_OWNER, key, token)) === undefined) return;
  for (const id of messages) yield* db.run(RETURN, key, id);
}

function* finish(db: Transaction, { key, token }: ChatClaim, work: FinishedWork): Work<boolean> {
  if ((yield* db.get(IS_OWNER, key, token)) === undefined) return false;
  for (const id of work.messages) yield* db.run(FINISH, key, id, work.state);
  for (const message of work.outgoing) yield* insertOutgoing(db, message);
  yield* change(db, key, work.changes ?? {});
  yield* db.run(RECOUNT, key);
  if (work.release) yield* db.run(RELEASE, key, token);
  return true;
}

function* change(db: Transaction, key: string, { sessionId, settings }: ConversationChanges): Work<void> {
  if (sessionId !== undefined) yield* db.run(SET_SESSION, key, sessionId);
  if (settings === undefined) return;
  const stored = (yield* findConversation(db, key))?.settings ?? {};
  const merged = Object.entries({ ...stored, ...settings }).filter(([, value]) => value !== null);
  yield* db.run(SET_SETTINGS, key, JSON.stringify(Object.fromEntries(merged)));
}

function* findConversation(db: Transaction, key: string): Work<GatewayConversation | undefined> {
  const row = yield* db.get<ConversationRow>(BY_KEY, key);
  return row && toConversation(row);
}

export function toConversation(row: ConversationRow): GatewayConversation {
  return {
    key: row.key,
    account: row.account,
    source: objectOf(row.source),
    sessionId: row.session_id ?? undefined,
    settings: objectOf(row.settings),
    updatedAt: toMilliseconds(row.updated_at),
  };
}

function toMessage(row: InboxRow): InboxMessage {
  return {
    id: row.id,
    key: row.conversation_key,
    account: row.account,
    externalId: row.external_id,
    kind: row.kind,
    author: row.author,
    body: objectOf(row.body),
    sentAt: toMilliseconds(row.sent_at),
    receivedAt: toMilliseconds(row.received_at),
    state: row.state,
    turn: row.turn_id === null ? undefined : { id: row.turn_id, after: row.turn_after ?? 0 },
    attempts: row.attempts,
  };
}

function objectOf(text: string): JsonObject {
  return (readObject(text) ?? {}) as JsonObject;
}
