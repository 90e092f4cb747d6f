import type { Actor, InteractionAnswer, InteractionRequest } from '../../base/index.ts';
import {
  type AllowedActors,
  type AnswerOutcome,
  mayAnswer,
  type NewQuestion,
  type QuestionState,
  type QuestionStore,
  type StoredQuestion,
} from '../../contracts/index.ts';
import type { Database, SqlValue, Transaction, Work } from '../database.ts';
import { readObject, toMilliseconds, toSeconds } from '../rows/values.ts';

type QuestionRow = {
  id: string;
  conversation_key: string;
  session_id: string;
  turn_id: string;
  request: string;
  allowed: string;
  state: QuestionState;
  answer: string | null;
  answered_by: string | null;
  asked_at: number;
  expires_at: number;
  answered_at: number | null;
  used_at: number | null;
};

export const CREATE_QUESTIONS = `
CREATE TABLE IF NOT EXISTS questions (
    id {textKey} PRIMARY KEY,
    conversation_key {textKey} NOT NULL,
    session_id {textKey} NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    turn_id TEXT NOT NULL,
    request {textKey} NOT NULL,
    allowed TEXT NOT NULL,
    state TEXT NOT NULL,
    answer TEXT,
    answered_by TEXT,
    asked_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL,
    answered_at DOUBLE PRECISION,
    used_at DOUBLE PRECISION
);
CREATE INDEX IF NOT EXISTS idx_questions_session ON questions(session_id);
`;

const INSERT = `INSERT INTO questions
(id, conversation_key, session_id, turn_id, request, allowed, state, asked_at, expires_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'open', ?7, ?8)`;
const BY_ID = 'SELECT * FROM questions WHERE id = ?1';
const FOR_ANSWER = 'SELECT * FROM questions WHERE id = ?1 {forUpdate}';
const OPEN = `SELECT * FROM questions WHERE state = 'open' ORDER BY asked_at, id`;
const ANSWER = `UPDATE questions SET state = 'answered', answer = ?2, answered_by = ?3, answered_at = ?4
WHERE id = ?1 AND state = 'open'`;
const CLOSE = `UPDATE questions SET state = ?2 WHERE id = ?1 AND state = 'open'`;
const DISCARD_ANSWER = `UPDATE questions SET used_at = ?2 WHERE id = ?1 AND state = 'answered' AND used_at IS NULL`;
const USE = `UPDATE questions SET state = 'answered', used_at = ?2 WHERE id = ?1`;
// Requests are compared as text: the same call of the same tool is always serialised the same way.
const UNUSED = `SELECT * FROM questions WHERE session_id = ?1 AND state = 'answered' AND used_at IS NULL
AND answer IS NOT NULL AND answered_at >= ?3 AND request = ?2 ORDER BY answered_at DESC LIMIT 1`;
const VOID = `UPDATE questions SET state = 'void' WHERE session_id = ?1 AND state = 'open' AND turn_id <> ?2`;
const PRUNE = `DELETE FROM questions WHERE asked_at < ?1`;

export function createQuestions(database: Database): QuestionStore {
  return {
    addQuestion: (question) => database.write((db) => insert(db, question)),
    getQuestion: (id) => database.read((db) => findOne(db, BY_ID, id)),
    listOpenQuestions: (filter = {}) => database.read((db) => listOpen(db, filter)),
    answerQuestion: (id, answer, actor, now) => database.write((db) => answerOpen(db, { id, answer, actor, now })),
    closeQuestion: (id, state, now) => database.write((db) => close(db, { id, state, now })),
    useAnswer: (id, now) => database.write((db) => change(db, USE, id, toSeconds(now))),
    findUnusedAnswer: (sessionId, request, since) =>
      database.read((db) => findOne(db, UNUSED, sessionId, JSON.stringify(request), toSeconds(since))),
    voidQuestions: (sessionId, exceptTurnId) => database.write((db) => db.run(VOID, sessionId, exceptTurnId)),
    pruneQuestions: (before) => database.write((db) => db.run(PRUNE, toSeconds(before))),
  };
}

function* insert(db: Transaction, question: NewQuestion): Work<void> {
  const { id, key, sessionId, turnId, request, allowed, askedAt, expiresAt } = question;
  const texts = [id, key, sessionId, turnId, JSON.stringify(request), JSON.stringify(allowed)];
  yield* db.run(INSERT, ...texts, toSeconds(askedAt), toSeconds(expiresAt));
}

function* findOne(db: Transaction, sql: string, ...values: SqlValue[]): Work<StoredQuestion | undefined> {
  const row = yield* db.get<QuestionRow>(sql, ...values);
  return row && readQuestion(row);
}

function* change(db: Transaction, sql: string, ...values: SqlValue[]): Work<void> {
  yield* db.run(sql, ...values);
}

function* close(
  db: Transaction,
  { id, state, now }: { id: string; state: 'expired' | 'void'; now: number },
): Work<void> {
  yield* db.run(CLOSE, id, state);
  yield* db.run(DISCARD_ANSWER, id, toSeconds(now));
}

// Few questions are open at any time, so they are filtered in memory.
function* listOpen(db: Transaction, { sessionId, key }: { sessionId?: string; key?: string }): Work<StoredQuestion[]> {
  const questions = (yield* db.all<QuestionRow>(OPEN)).flatMap((row) => readQuestion(row) ?? []);
  const ofSession = questions.filter((question) => sessionId === undefined || question.sessionId === sessionId);
  return ofSession.filter((question) => key === undefined || question.key === key);
}

type Answer = { id: string; answer: InteractionAnswer; actor: Actor; now: number };

function* answerOpen(db: Transaction, { id, answer, actor, now }: Answer): Work<AnswerOutcome> {
  const row = yield* db.get<QuestionRow>(FOR_ANSWER, id);
  const question = row && readQuestion(row);
  if (question === undefined) return 'not_found';
  const { request, allowed, state, expiresAt } = question;
  if (!mayAnswer(allowed, actor)) return 'forbidden';
  if (request.kind !== answer.kind) return 'wrong_kind';
  if (state !== 'open' || now > expiresAt) return 'not_open';
  yield* db.run(ANSWER, id, JSON.stringify(answer), JSON.stringify(actor), toSeconds(now));
  return 'answered';
}

/** Undefined for an invalid row that another program wrote. */
function readQuestion(row: QuestionRow): StoredQuestion | undefined {
  const request = readObject(row.request) as InteractionRequest | undefined;
  const allowed = readObject(row.allowed) as AllowedActors | undefined;
  if (request === undefined || allowed === undefined) return undefined;
  return {
    id: row.id,
    key: row.conversation_key,
    sessionId: row.session_id,
    turnId: row.turn_id,
    request,
    allowed,
    state: row.state,
    answer: readObject(row.answer) as InteractionAnswer | undefined,
    answeredBy: readObject(row.answered_by) as Actor | undefined,
    askedAt: toMilliseconds(row.asked_at),
    expiresAt: toMilliseconds(row.expires_at),
    answeredAt: row.answered_at === null ? undefined : toMilliseconds(row.answered_at),
    usedAt: row.used_at === null ? undefined : toMilliseconds(row.used_at),
  };
}
