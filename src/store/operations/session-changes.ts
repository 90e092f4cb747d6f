import type { HermesError } from '../../base/index.ts';
import type { NewSession, SessionStore } from '../../contracts/index.ts';
import type { Database, SqlValue, Transaction, Work } from '../database.ts';
import { toSeconds } from '../rows/values.ts';
import { sanitiseTitle, splitTitle } from '../title.ts';
import { markPromptAsOwn } from './imported-prompts.ts';
import { nextTitle } from './lineage-titles.ts';
import { sessionExists, titleInUse, unknownSession } from './session-errors.ts';
import { setOrigin } from './session-origins.ts';
import { SESSION_EXISTS } from './session-row.ts';

type SessionChanges = Pick<
  SessionStore,
  | 'createSession'
  | 'endSession'
  | 'reopenSession'
  | 'setSystemPrompt'
  | 'setSessionModel'
  | 'setSessionOrigin'
  | 'setSessionTitle'
  | 'proposeSessionTitle'
>;

const CREATE = `INSERT INTO sessions (id, source, model, system_prompt, parent_session_id, title, started_at)
VALUES (?, ?, ?, ?, ?, ?, ?)`;
// A compressed session stays compressed: its continuation is found by this end reason, and the caller may not know of
// it yet.
const END = `UPDATE sessions SET ended_at = CASE WHEN end_reason = 'compression' THEN ended_at ELSE ? END,
end_reason = CASE WHEN end_reason = 'compression' THEN end_reason ELSE ? END WHERE id = ?`;
const REOPEN = 'UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?';
const SET_PROMPT = 'UPDATE sessions SET system_prompt = ? WHERE id = ?';
const SET_MODEL = 'UPDATE sessions SET model = ? WHERE id = ?';
const SET_TITLE = 'UPDATE sessions SET title = ? WHERE id = ?';
const WITHOUT_TITLE = 'SELECT 1 FROM sessions WHERE id = ? AND title IS NULL {forUpdate}';
const TITLE_OWNER = 'SELECT id FROM sessions WHERE title = ?';

export function createSessionChanges(database: Database): SessionChanges {
  const change = (id: string, sql: string, ...values: SqlValue[]) =>
    database.write((db) => changeSession(db, id, sql, values));
  return {
    createSession: (session) => create(database, session),
    endSession: (id, reason) => change(id, END, toSeconds(database.clock.now()), reason),
    reopenSession: (id) => change(id, REOPEN),
    setSystemPrompt: (id, prompt) => change(id, SET_PROMPT, prompt),
    setSessionModel: (id, model) => change(id, SET_MODEL, model),
    setSessionOrigin: (id, origin) => database.write((db) => setOrigin(db, id, origin)),
    async setSessionTitle(id, title) {
      const clean = sanitiseTitle(title);
      try {
        await change(id, SET_TITLE, clean ?? null);
      } catch (thrown) {
        throw database.isDuplicate(thrown) ? await titleInUseError(database, clean, thrown) : thrown;
      }
    },
    async proposeSessionTitle(id, title) {
      const clean = sanitiseTitle(title);
      return clean === undefined ? undefined : database.write((db) => proposeTitle(db, id, clean));
    },
  };
}

function* changeSession(db: Transaction, id: string, sql: string, values: readonly SqlValue[]): Work<void> {
  if (sql === SET_TITLE) yield* db.lock('titles');
  if ((yield* db.run(sql, ...values, id)) === 0) throw unknownSession(id, db.location);
  if (sql === SET_PROMPT) yield* markPromptAsOwn(db, id);
}

/** One transaction, so that the title is still free when it is set. */
function* proposeTitle(db: Transaction, id: string, title: string): Work<string | undefined> {
  yield* db.lock('titles');
  if ((yield* db.get(WITHOUT_TITLE, id)) === undefined) return undefined;
  const isTaken = (yield* db.get(TITLE_OWNER, title)) !== undefined;
  const free = isTaken ? yield* nextTitle(db, splitTitle(title).base) : title;
  yield* db.run(SET_TITLE, free, id);
  return free;
}

/** Must run in a transaction that locked the titles if the session has a title. */
export function* insertSession(db: Transaction, session: NewSession): Work<void> {
  const { id, source, model = null, systemPrompt = null, parentSessionId = null } = session;
  const title = sanitiseTitle(session.title) ?? null;
  yield* db.run(CREATE, id, source, model, systemPrompt, parentSessionId, title, toSeconds(session.startedAt));
  if (session.origin !== undefined) yield* setOrigin(db, id, session.origin);
}

function* createSession(db: Transaction, session: NewSession): Work<void> {
  if (session.title !== undefined) yield* db.lock('titles');
  yield* insertSession(db, session);
}

async function create(database: Database, session: NewSession): Promise<void> {
  try {
    await database.write((db) => createSession(db, session));
  } catch (thrown) {
    throw await explainCreateError(database, session, thrown);
  }
}

// The constraints of the tables decide, and the error is explained afterwards: between a check and the insert,
// another process could interfere.
export async function explainCreateError(database: Database, session: NewSession, thrown: unknown): Promise<unknown> {
  const { id, parentSessionId = '' } = session;
  if (database.isMissingReference(thrown)) return unknownSession(parentSessionId, database.location);
  if (!database.isDuplicate(thrown)) return thrown;
  if (await database.read((db) => db.get(SESSION_EXISTS, id))) return sessionExists(id, database.location, thrown);
  return titleInUseError(database, sanitiseTitle(session.title), thrown);
}

async function titleInUseError(database: Database, title: string | undefined, cause: unknown): Promise<HermesError> {
  const owner = await database.read((db) => db.get<{ id: string }>(TITLE_OWNER, title ?? null));
  return titleInUse(title, owner?.id, cause);
}
