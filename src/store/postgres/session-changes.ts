import type { HermesError } from '../../base/index.ts';
import type { NewSession, SessionStore } from '../../contracts/index.ts';
import { toSeconds } from '../rows/time.ts';
import { sessionExists, titleIsTaken, unknownSession } from '../session-errors.ts';
import { sanitiseTitle, splitTitle } from '../title.ts';
import type { Connection, Queries } from './connection.ts';
import { isDuplicate, isMissingReference } from './database-error.ts';
import type { SqlValue } from './driver.ts';
import { lockTitles, nextTitle } from './lineage-titles.ts';

type SessionChanges = Pick<
  SessionStore,
  | 'createSession'
  | 'endSession'
  | 'reopenSession'
  | 'setSystemPrompt'
  | 'setSessionModel'
  | 'setSessionTitle'
  | 'proposeSessionTitle'
>;

const CREATE = `INSERT INTO sessions (id, source, model, system_prompt, parent_session_id, title, started_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)`;
// One that was compressed stays so: by this its continuation is found, and whoever ends it may not have seen that yet.
const END = `UPDATE sessions SET ended_at = CASE WHEN end_reason = 'compression' THEN ended_at ELSE $2 END,
end_reason = CASE WHEN end_reason = 'compression' THEN end_reason ELSE $3 END WHERE id = $1`;
const REOPEN = 'UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = $1';
const SET_PROMPT = 'UPDATE sessions SET system_prompt = $2 WHERE id = $1';
const SET_MODEL = 'UPDATE sessions SET model = $2 WHERE id = $1';
const SET_TITLE = 'UPDATE sessions SET title = $2 WHERE id = $1';
const WITHOUT_TITLE = 'SELECT 1 FROM sessions WHERE id = $1 AND title IS NULL FOR UPDATE';
const TITLE_OWNER = 'SELECT id FROM sessions WHERE title = $1';

export function createSessionChanges(connection: Connection): SessionChanges {
  const change = (id: string, sql: string, ...values: SqlValue[]) =>
    connection.write(async (db) => {
      if (sql === SET_TITLE) await lockTitles(db);
      if ((await db.run(sql, id, ...values)) === 0) throw unknownSession(id, connection.place);
    });
  return {
    createSession: (session) => create(connection, session),
    endSession: (id, reason) => change(id, END, toSeconds(connection.clock.now()), reason),
    reopenSession: (id) => change(id, REOPEN),
    setSystemPrompt: (id, prompt) => change(id, SET_PROMPT, prompt),
    setSessionModel: (id, model) => change(id, SET_MODEL, model),
    async setSessionTitle(id, title) {
      const clean = sanitiseTitle(title);
      try {
        await change(id, SET_TITLE, clean ?? null);
      } catch (thrown) {
        throw isDuplicate(thrown) ? await titleTaken(connection, clean, thrown) : thrown;
      }
    },
    async proposeSessionTitle(id, title) {
      const clean = sanitiseTitle(title);
      return clean === undefined ? undefined : connection.write((db) => proposeTitle(db, id, clean));
    },
  };
}

async function proposeTitle(db: Queries, id: string, title: string): Promise<string | undefined> {
  await lockTitles(db);
  if ((await db.get(WITHOUT_TITLE, id)) === undefined) return undefined;
  const taken = (await db.get(TITLE_OWNER, title)) !== undefined;
  const free = taken ? await nextTitle(db, splitTitle(title).base) : title;
  await db.run(SET_TITLE, id, free);
  return free;
}

/** Inside a transaction; where it gives a title, after the lock on titles. */
export async function insertSession(db: Queries, session: NewSession): Promise<void> {
  const { id, source, model = null, systemPrompt = null, parentSessionId = null } = session;
  const title = sanitiseTitle(session.title) ?? null;
  await db.run(CREATE, id, source, model, systemPrompt, parentSessionId, title, toSeconds(session.startedAt));
}

async function create(connection: Connection, session: NewSession): Promise<void> {
  try {
    await connection.write(async (db) => {
      if (session.title !== undefined) await lockTitles(db);
      await insertSession(db, session);
    });
  } catch (thrown) {
    throw await tellCreateError(connection, session, thrown);
  }
}

// The constraints of the tables decide, and the error is read afterwards: a look beforehand could be overtaken.
export async function tellCreateError(connection: Connection, session: NewSession, thrown: unknown): Promise<unknown> {
  const { id, parentSessionId = '' } = session;
  if (isMissingReference(thrown)) return unknownSession(parentSessionId, connection.place);
  if (!isDuplicate(thrown)) return thrown;
  if (await connection.read((db) => db.get('SELECT 1 FROM sessions WHERE id = $1', id))) {
    return sessionExists(id, connection.place, thrown);
  }
  return titleTaken(connection, sanitiseTitle(session.title), thrown);
}

async function titleTaken(connection: Connection, title: string | undefined, cause: unknown): Promise<HermesError> {
  const owner = await connection.read((db) => db.get<{ id: string }>(TITLE_OWNER, title ?? null));
  return titleIsTaken(title, owner?.id, cause);
}
