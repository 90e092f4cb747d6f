import { fingerprintOf, isJsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import {
  type OfferedTool,
  REASONING_EFFORTS,
  type SessionSetup,
  type SessionSetups,
  type ToolSetChoice,
} from '../../contracts/index.ts';
import type { Database, Transaction, Work } from '../database.ts';

/**
 * The setup of each session. Most sessions offer the same tools, whose definitions take several kilobytes, so each list
 * of tools is stored once.
 */
export const CREATE_SETUPS = `
CREATE TABLE IF NOT EXISTS offered_tools (
    hash {textKey} PRIMARY KEY,
    tools TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS session_setups (
    session_id {textKey} PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
    setup TEXT NOT NULL,
    tools_hash {textKey}
);
CREATE INDEX IF NOT EXISTS idx_session_setups_tools ON session_setups(tools_hash);
`;

const ADD_TOOLS = 'INSERT INTO offered_tools (hash, tools) VALUES (?1, ?2) ON CONFLICT DO NOTHING';
/** Different lists may have the same fingerprint. */
const IS_STORED = 'SELECT 1 AS found FROM offered_tools WHERE hash = ?1 AND tools = ?2';
const SET = `INSERT INTO session_setups (session_id, setup, tools_hash) VALUES (?1, ?2, ?3)
ON CONFLICT (session_id) DO UPDATE SET setup = excluded.setup, tools_hash = excluded.tools_hash`;
const READ = `SELECT p.setup, o.tools FROM session_setups p LEFT JOIN offered_tools o ON o.hash = p.tools_hash
WHERE p.session_id = ?1`;
const INHERIT = `INSERT INTO session_setups (session_id, setup, tools_hash)
SELECT {text ?1}, setup, tools_hash FROM session_setups WHERE session_id = ?2 ON CONFLICT DO NOTHING`;
const REMOVE_UNUSED = `DELETE FROM offered_tools WHERE hash NOT IN
(SELECT tools_hash FROM session_setups WHERE tools_hash IS NOT NULL)`;

export function createSessionSetups(database: Database): SessionSetups {
  return {
    setSessionSetup: (id, setup) => database.write((db) => writeSetup(db, id, setup)),
    getSessionSetup: (id) => database.read((db) => readSetup(db, id)),
  };
}

export function* writeSetup(db: Transaction, id: string, { tools, ...setup }: SessionSetup): Work<void> {
  const text = tools === undefined ? undefined : JSON.stringify(tools);
  const hash = text === undefined ? null : yield* storeTools(db, text);
  yield* db.run(SET, id, JSON.stringify(setup), hash);
}

/** Stores a list of tools unless it is stored already, and returns its key. */
function* storeTools(db: Transaction, text: string): Work<string> {
  const fingerprint = fingerprintOf(text);
  for (let count = 0; ; count += 1) {
    const key = count === 0 ? fingerprint : `${fingerprint}-${count}`;
    yield* db.run(ADD_TOOLS, key, text);
    if ((yield* db.get(IS_STORED, key, text)) !== undefined) return key;
  }
}

export function* readSetup(db: Transaction, id: string): Work<SessionSetup | undefined> {
  const row = yield* db.get<{ setup: string; tools: string | null }>(READ, id);
  return row && setupFromJson(parseJson(row.setup), row.tools === null ? undefined : parseJson(row.tools));
}

/** A session that continues or branches another one has its setup. */
export function* inheritSetup(db: Transaction, id: string, parentId: string): Work<void> {
  yield* db.run(INHERIT, id, parentId);
}

export function* removeUnusedTools(db: Transaction): Work<void> {
  yield* db.run(REMOVE_UNUSED);
}

/** Invalid fields are omitted, so that the session can be resumed anyway. */
function setupFromJson(stored: JsonValue | undefined, tools: JsonValue | undefined): SessionSetup | undefined {
  if (!isJsonObject(stored)) return undefined;
  const setup: SessionSetup = {};
  const effort = REASONING_EFFORTS.find((known) => known === stored['effort']);
  if (effort !== undefined) setup.effort = effort;
  if (stored['speed'] === 'fast' || stored['speed'] === 'normal') setup.speed = stored['speed'];
  const toolSets = toolSetsFromJson(stored['toolSets']);
  if (toolSets !== undefined) setup.toolSets = toolSets;
  if (Array.isArray(tools) && tools.every(isOfferedTool)) setup.tools = tools as unknown as OfferedTool[];
  const known = namesFromJson(stored['knownTools']);
  if (known !== undefined) setup.knownTools = known;
  return setup;
}

function toolSetsFromJson(value: JsonValue | undefined): ToolSetChoice | undefined {
  if (!isJsonObject(value)) return undefined;
  const { on = [], off = [], features = [], ...lists } = value;
  const choice: ToolSetChoice = {
    on: namesFromJson(on) ?? [],
    off: namesFromJson(off) ?? [],
    features: namesFromJson(features) ?? [],
  };
  for (const name of ['toolsets', 'allowed', 'disallowed'] as const) {
    const names = namesFromJson(lists[name]);
    if (names !== undefined) choice[name] = names;
  }
  return choice;
}

function namesFromJson(value: JsonValue | undefined): string[] | undefined {
  return Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined;
}

function isOfferedTool(tool: JsonValue): boolean {
  if (!isJsonObject(tool) || typeof tool['toolset'] !== 'string' || !isJsonObject(tool['definition'])) return false;
  const { name, description, parameters } = tool['definition'];
  return typeof name === 'string' && typeof description === 'string' && isJsonObject(parameters);
}
