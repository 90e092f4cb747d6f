import type { Actor, JsonObject } from '../../base/index.ts';
import type {
  ProgressEntry,
  TurnCommand,
  TurnCommandBody,
  TurnCommandState,
  TurnCommandStore,
} from '../../contracts/index.ts';
import type { Database, Transaction, Work } from '../database.ts';
import { readObject, toMilliseconds, toSeconds } from '../rows/values.ts';
import { listHolders } from './leases.ts';

type CommandRow = {
  id: string;
  turn_token: string;
  body: string;
  actor: string;
  state: TurnCommandState;
  created_at: number;
};

/** Commands and progress belong to the lease that a turn runs under, and are deleted when it ends. */
export const CREATE_TURN_COMMANDS = `
CREATE TABLE IF NOT EXISTS turn_commands (
    sequence {serialKey},
    id {textKey} NOT NULL UNIQUE,
    turn_token {textKey} NOT NULL,
    body TEXT NOT NULL,
    actor TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_turn_commands_turn ON turn_commands(turn_token);
CREATE TABLE IF NOT EXISTS turn_progress (
    turn_token {textKey} NOT NULL,
    sequence INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (turn_token, sequence)
);
`;

const ADD = `INSERT INTO turn_commands (id, turn_token, body, actor, state, created_at)
VALUES (?1, ?2, ?3, ?4, 'pending', ?5)`;
const BY_ID = 'SELECT * FROM turn_commands WHERE id = ?1';
const PENDING = `SELECT * FROM turn_commands WHERE turn_token = ?1 AND state = 'pending' ORDER BY sequence`;
const SETTLE = `UPDATE turn_commands SET state = ?2 WHERE id = ?1`;
const REMOVE_COMMANDS = 'DELETE FROM turn_commands WHERE created_at < ?1';

const ADD_PROGRESS = 'INSERT INTO turn_progress (turn_token, sequence, event) VALUES (?1, ?2, ?3)';
const READ_PROGRESS =
  'SELECT sequence, event FROM turn_progress WHERE turn_token = ?1 AND sequence > ?2 ORDER BY sequence';
const TRIM_PROGRESS = 'DELETE FROM turn_progress WHERE turn_token = ?1 AND sequence <= ?2';
const REMOVE_PROGRESS = 'DELETE FROM turn_progress WHERE turn_token = ?1';
// Deletes the progress of processes that died during a turn: their lease was released or taken over.
const REMOVE_ABANDONED = `DELETE FROM turn_progress
WHERE turn_token NOT IN (SELECT token FROM session_leases WHERE released = 0)`;

export function createTurnCommands(database: Database): TurnCommandStore {
  return {
    listRunningTurns: () => database.read(listHolders),
    addTurnCommand: (command) => database.write((db) => add(db, command)),
    getTurnCommand: (id) => database.read((db) => find(db, id)),
    listPendingCommands: (turnToken) => database.read((db) => listPending(db, turnToken)),
    settleTurnCommand: (id, state) => database.write((db) => settle(db, id, state)),
    appendProgress: (turnToken, entries, keep) => database.write((db) => append(db, turnToken, entries, keep)),
    readProgress: (turnToken, after) => database.read((db) => read(db, turnToken, after)),
    clearTurn: (turnToken, commandsBefore) => database.write((db) => clear(db, turnToken, commandsBefore)),
  };
}

function* add(db: Transaction, { id, turnToken, body, actor, createdAt }: Omit<TurnCommand, 'state'>): Work<void> {
  yield* db.run(ADD, id, turnToken, JSON.stringify(body), JSON.stringify(actor), toSeconds(createdAt));
}

function* find(db: Transaction, id: string): Work<TurnCommand | undefined> {
  const row = yield* db.get<CommandRow>(BY_ID, id);
  return row && readCommand(row);
}

function* listPending(db: Transaction, turnToken: string): Work<TurnCommand[]> {
  return (yield* db.all<CommandRow>(PENDING, turnToken)).flatMap((row) => readCommand(row) ?? []);
}

function* settle(db: Transaction, id: string, state: TurnCommandState): Work<void> {
  yield* db.run(SETTLE, id, state);
}

function* append(db: Transaction, turnToken: string, entries: readonly ProgressEntry[], keep: number): Work<void> {
  for (const { sequence, event } of entries) yield* db.run(ADD_PROGRESS, turnToken, sequence, JSON.stringify(event));
  yield* db.run(TRIM_PROGRESS, turnToken, (entries.at(-1)?.sequence ?? 0) - keep);
}

function* read(db: Transaction, turnToken: string, after: number): Work<ProgressEntry[]> {
  const rows = yield* db.all<{ sequence: number; event: string }>(READ_PROGRESS, turnToken, after);
  return rows.flatMap(({ sequence, event: text }) => {
    const event = readObject(text) as JsonObject | undefined;
    return event === undefined ? [] : [{ sequence, event }];
  });
}

function* clear(db: Transaction, turnToken: string, commandsBefore: number): Work<void> {
  yield* db.run(REMOVE_PROGRESS, turnToken);
  yield* db.run(REMOVE_ABANDONED);
  yield* db.run(REMOVE_COMMANDS, toSeconds(commandsBefore));
}

/** Undefined for an invalid row that another program wrote. */
function readCommand(row: CommandRow): TurnCommand | undefined {
  const body = readObject(row.body) as TurnCommandBody | undefined;
  const actor = readObject(row.actor) as Actor | undefined;
  if (body === undefined || actor === undefined) return undefined;
  return {
    id: row.id,
    turnToken: row.turn_token,
    body,
    actor,
    state: row.state,
    createdAt: toMilliseconds(row.created_at),
  };
}
