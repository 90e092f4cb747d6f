import type { HermesError } from '../../base/index.ts';
import type { NewSession, SessionStore } from '../../contracts/index.ts';
import { sessionExists, titleIsTaken, unknownSession } from '../session-errors.ts';
import { sanitiseTitle, splitTitle } from '../title.ts';
import type { Connection } from './connection.ts';
import { isDuplicate, isMissingReference } from './database-error.ts';
import type { SqlValue } from './driver.ts';
import { nextTitle } from './lineage-titles.ts';
import { toSeconds } from '../rows/time.ts';

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
VALUES (?, ?, ?, ?, ?, ?, ?)`;
// One that was compressed stays so: by this its continuation is found, and whoever ends it may not have seen that yet.
const END = `UPDATE sessions SET ended_at = CASE WHEN end_reason = 'compression' THEN ended_at ELSE ?1 END,
end_reason = CASE WHEN end_reason = 'compression' THEN end_reason ELSE ?2 END WHERE id = ?3`;
const REOPEN = 'UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?';
const SET_PROMPT = 'UPDATE sessions SET system_prompt = ? WHERE id = ?';
const SET_MODEL = 'UPDATE sessions SET model = ? WHERE id = ?';
const SET_TITLE = 'UPDATE sessions SET title = ? WHERE id = ?';
const WITHOUT_TITLE = 'SELECT 1 FROM sessions WHERE id = ? AND title IS NULL';
const TITLE_TAKEN = 'SELECT 1 FROM sessions WHERE title = ?';

export function createSessionChanges(connection: Connection): SessionChanges {
  const change = (id: string, sql: string, ...values: SqlValue[]) =>
    connection.write(() => {
      if (connection.run(sql, ...values, id) === 0) throw unknownSession(id, connection.file);
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
      return clean === undefined ? undefined : connection.write(() => proposeTitle(connection, id, clean));
    },
  };
}

/** Inside a transaction, so that nobody gives or takes the title between the look and the change. */
function proposeTitle(connection: Connection, id: string, title: string): string | undefined {
  if (connection.get(WITHOUT_TITLE, id) === undefined) return undefined;
  const taken = connection.get(TITLE_TAKEN, title) !== undefined;
  const free = taken ? nextTitle(connection, splitTitle(title).base) : title;
  connection.run(SET_TITLE, free, id);
  return free;
}

/** Inside a transaction. */
export function insertSession(connection: Connection, session: NewSession): void {
  const { id, source, model = null, systemPrompt = null, parentSessionId = null } = session;
  const title = sanitiseTitle(session.title) ?? null;
  connection.run(CREATE, id, source, model, systemPrompt, parentSessionId, title, toSeconds(session.startedAt));
}

async function create(connection: Connection, session: NewSession): Promise<void> {
  try {
    await connection.write(() => insertSession(connection, session));
  } catch (thrown) {
    throw await tellCreateError(connection, session, thrown);
  }
}

// The constraints of the tables decide, and the error is read afterwards: a look beforehand could be overtaken by
// another process.
export async function tellCreateError(connection: Connection, session: NewSession, thrown: unknown): Promise<unknown> {
  const { id, parentSessionId = '' } = session;
  if (isMissingReference(thrown)) return unknownSession(parentSessionId, connection.file);
  if (!isDuplicate(thrown)) return thrown;
  if (await connection.read(() => connection.get('SELECT 1 FROM sessions WHERE id = ?', id))) {
    return sessionExists(id, connection.file, thrown);
  }
  return titleTaken(connection, sanitiseTitle(session.title), thrown);
}

async function titleTaken(connection: Connection, title: string | undefined, cause: unknown): Promise<HermesError> {
  const owner = await connection.read(() => connection.get('SELECT id FROM sessions WHERE title = ?', title ?? null));
  return titleIsTaken(title, (owner as { id: string } | undefined)?.id, cause);
}
