import type { JsonObject } from '../../../base/index.ts';
import type {
  NewResponse,
  ResponseEnd,
  ResponseStatus,
  ResponseStore,
  StoredConversation,
  StoredResponse,
} from '../../../contracts/index.ts';
import type { Database, Transaction, Work } from '../../database.ts';
import { readObject, toMilliseconds, toSeconds } from '../../rows/values.ts';

type ResponseRow = {
  id: string;
  owner: string;
  conversation_id: string | null;
  session_id: string;
  after_message: number;
  last_message: number | null;
  status: ResponseStatus;
  process: string;
  created_at: number;
  ended_at: number | null;
  request: string;
  result: string;
};

type ConversationRow = {
  id: string;
  owner: string;
  name: string | null;
  session_id: string;
  created_at: number;
  metadata: string;
};

const ADD = `INSERT INTO api_responses (id, owner, conversation_id, session_id, after_message, status, process,
created_at, expires_at, request, result) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, '{}')`;
const GET = 'SELECT * FROM api_responses WHERE id = ?1 AND owner = ?2';
const START = `UPDATE api_responses SET status = 'in_progress', session_id = ?2, after_message = ?3
WHERE id = ?1 AND ended_at IS NULL`;
const END = `UPDATE api_responses SET status = ?2, session_id = ?3, last_message = ?4, ended_at = ?5, result = ?6
WHERE id = ?1 AND ended_at IS NULL`;
const OPEN = 'SELECT * FROM api_responses WHERE ended_at IS NULL ORDER BY created_at, id';
const IN_SESSION = `SELECT * FROM api_responses WHERE session_id = ?1 AND owner = ?2 AND ended_at IS NOT NULL
ORDER BY after_message, id`;
const DELETE = 'DELETE FROM api_responses WHERE id = ?1 AND owner = ?2';
const EXPIRED = 'SELECT id FROM api_responses WHERE expires_at < ?1 AND ended_at IS NOT NULL ORDER BY expires_at, id';
const DELETE_EXPIRED = 'DELETE FROM api_responses WHERE expires_at < ?1 AND ended_at IS NOT NULL';

const ADD_CONVERSATION = `INSERT INTO api_conversations (id, owner, name, session_id, created_at, metadata)
VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING`;
const CONVERSATION = 'SELECT * FROM api_conversations WHERE id = ?1 AND owner = ?2';
const NAMED = 'SELECT * FROM api_conversations WHERE name = ?1 AND owner = ?2';
const SET_METADATA = 'UPDATE api_conversations SET metadata = ?3 WHERE id = ?1 AND owner = ?2';
const MOVE = 'UPDATE api_conversations SET session_id = ?3 WHERE id = ?1 AND session_id = ?2';
const DELETE_CONVERSATION = 'DELETE FROM api_conversations WHERE id = ?1 AND owner = ?2';

export function createResponseStore(database: Database): ResponseStore {
  const change = (sql: string, ...values: (string | number)[]) => database.write((db) => changesRow(db, sql, values));
  const findConversation = (sql: string, key: string, owner: string) =>
    database.read((db) => readConversation(db, sql, key, owner));
  return {
    addResponse: (response) => database.write((db) => add(db, response)),
    getResponse: (id, owner) => database.read((db) => find(db, id, owner)),
    startResponse: (id, { sessionId, afterMessage }) => change(START, id, sessionId, afterMessage),
    endResponse: (id, end) => database.write((db) => finish(db, id, end)),
    listOpenResponses: () => database.read(listOpen),
    listResponsesIn: (sessionIds, owner) => database.read((db) => listIn(db, sessionIds, owner)),
    deleteResponse: (id, owner) => change(DELETE, id, owner),
    pruneResponses: (before) => database.write((db) => prune(db, before)),
    addConversation: (conversation) => database.write((db) => addConversation(db, conversation)),
    getConversation: (id, owner) => findConversation(CONVERSATION, id, owner),
    findConversation: (name, owner) => findConversation(NAMED, name, owner),
    setConversationMetadata: (id, owner, metadata) => change(SET_METADATA, id, owner, JSON.stringify(metadata)),
    moveConversation: (id, from, to) => change(MOVE, id, from, to),
    deleteConversation: (id, owner) => change(DELETE_CONVERSATION, id, owner),
  };
}

function* changesRow(db: Transaction, sql: string, values: readonly (string | number)[]): Work<boolean> {
  return (yield* db.run(sql, ...values)) > 0;
}

function* add(db: Transaction, response: NewResponse): Work<void> {
  const { id, owner, conversationId = null, sessionId, afterMessage, status, process } = response;
  const times = [toSeconds(response.createdAt), toSeconds(response.expiresAt)];
  const request = JSON.stringify(response.request);
  yield* db.run(ADD, id, owner, conversationId, sessionId, afterMessage, status, process, ...times, request);
}

function* find(db: Transaction, id: string, owner: string): Work<StoredResponse | undefined> {
  const row = yield* db.get<ResponseRow>(GET, id, owner);
  return row && toResponse(row);
}

function* finish(db: Transaction, id: string, end: ResponseEnd): Work<boolean> {
  const { status, sessionId, lastMessage, endedAt, result } = end;
  const values = [status, sessionId, lastMessage, toSeconds(endedAt), JSON.stringify(result)];
  return (yield* db.run(END, id, ...values)) > 0;
}

function* listOpen(db: Transaction): Work<StoredResponse[]> {
  return (yield* db.all<ResponseRow>(OPEN)).map(toResponse);
}

function* listIn(db: Transaction, sessionIds: readonly string[], owner: string): Work<StoredResponse[]> {
  const found: StoredResponse[] = [];
  for (const id of sessionIds) found.push(...(yield* db.all<ResponseRow>(IN_SESSION, id, owner)).map(toResponse));
  return found;
}

function* prune(db: Transaction, before: number): Work<string[]> {
  const expired = yield* db.all<{ id: string }>(EXPIRED, toSeconds(before));
  if (expired.length > 0) yield* db.run(DELETE_EXPIRED, toSeconds(before));
  return expired.map(({ id }) => id);
}

function* addConversation(db: Transaction, conversation: StoredConversation): Work<boolean> {
  const { id, owner, name = null, sessionId, createdAt, metadata } = conversation;
  const row = [id, owner, name, sessionId, toSeconds(createdAt), JSON.stringify(metadata)];
  return (yield* db.run(ADD_CONVERSATION, ...row)) > 0;
}

function* readConversation(
  db: Transaction,
  sql: string,
  key: string,
  owner: string,
): Work<StoredConversation | undefined> {
  const row = yield* db.get<ConversationRow>(sql, key, owner);
  return row && toConversation(row);
}

function toResponse(row: ResponseRow): StoredResponse {
  return {
    id: row.id,
    owner: row.owner,
    conversationId: row.conversation_id ?? undefined,
    sessionId: row.session_id,
    afterMessage: row.after_message,
    lastMessage: row.last_message ?? undefined,
    status: row.status,
    process: row.process,
    createdAt: toMilliseconds(row.created_at),
    endedAt: row.ended_at === null ? undefined : toMilliseconds(row.ended_at),
    request: (readObject(row.request) ?? {}) as JsonObject,
    result: (readObject(row.result) ?? {}) as JsonObject,
  };
}

function toConversation(row: ConversationRow): StoredConversation {
  return {
    id: row.id,
    owner: row.owner,
    name: row.name ?? undefined,
    sessionId: row.session_id,
    createdAt: toMilliseconds(row.created_at),
    metadata: (readObject(row.metadata) ?? {}) as JsonObject,
  };
}
