import { describe, expect, it } from 'vitest';
import { systemClock } from '../base/index.ts';
import { silentLogger } from '../contracts/index.ts';
import { useServer } from '../../test/support/postgres/store-fixture.ts';
import { type Database, spell, type Transaction, type Work } from './database.ts';
import { createConnectionPool } from './postgres/driver.ts';
import { createPostgresDatabase } from './postgres/postgres-database.ts';
import { POSTGRES } from './postgres/spelling.ts';
import { createConnection } from './sqlite/connection.ts';
import { openDatabase } from './sqlite/driver.ts';
import { SQLITE } from './sqlite/spelling.ts';
import { createSqliteDatabase } from './sqlite/sqlite-database.ts';

const { emptyDatabase } = useServer();

const CREATE_JOBS = `CREATE TABLE jobs (id {serialKey}, name {textKey} NOT NULL UNIQUE, due_at DOUBLE PRECISION)`;
const ADD = `INSERT INTO jobs (name, due_at) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at`;
const DUE = 'SELECT id, name, due_at <= {now ?1} AS "isDue" FROM jobs ORDER BY {text name}';

type Job = { id: number; name: string; isDue: number };

/** Adds jobs and returns those that are due. It is written like the logic of every other table of the store. */
function* addJobs(db: Transaction, names: readonly string[]): Work<Job[]> {
  for (const name of names) yield* db.run(ADD, name, name === 'late' ? 9_999_999_999 : 1);
  return (yield* db.all<Job>(DUE, db.leaseTime())).map(({ id, name, isDue }) => ({ id, name, isDue }));
}

async function onSqlite(): Promise<Database> {
  const database = openDatabase(':memory:');
  database.exec(spell(CREATE_JOBS, SQLITE));
  return createSqliteDatabase(
    createConnection({ database, file: ':memory:', clock: systemClock, logger: silentLogger }),
  );
}

async function onPostgres(): Promise<Database> {
  const url = await emptyDatabase();
  const { openPostgresStore } = await import('./postgres/index.ts');
  await (await openPostgresStore({ url })).close();
  const lanes = createConnectionPool({ url, connectSeconds: 10, answerSeconds: 60, size: 2 });
  await lanes.with((lane) =>
    lane.query(`SET search_path TO hermes; DROP TABLE IF EXISTS jobs; ${spell(CREATE_JOBS, POSTGRES)}`),
  );
  return createPostgresDatabase({
    pool: lanes,
    location: 'test',
    clock: systemClock,
    usesDatabaseClock: true,
    statementMs: 60_000,
  });
}

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
])('a new table on %s', (_, open) => {
  it('is created, written and read by the same statements', async () => {
    const database = await open();
    const jobs = await database.write((db) => addJobs(db, ['late', 'Zoo', 'apple', 'apple']));
    expect(jobs.map(({ name, isDue }) => [name, isDue])).toEqual([
      ['Zoo', 1],
      ['apple', 1],
      ['late', 0],
    ]);
    const late = await database.read((db) => db.get<{ id: number }>('SELECT id FROM jobs WHERE name = ?', 'late'));
    expect(late?.id).toBe(1);
    await database.close();
  });

  it('is unchanged when the work fails, and distinguishes duplicates from other errors', async () => {
    const database = await open();
    const failing = database.write(function* (db) {
      yield* addJobs(db, ['one']);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await database.read((db) => db.all('SELECT name FROM jobs'))).toEqual([]);
    const insert = 'INSERT INTO jobs (name) VALUES (?)';
    await database.write((db) => db.run(insert, 'one'));
    const duplicate = await database.write((db) => db.run(insert, 'one')).catch((thrown: unknown) => thrown);
    expect([database.isDuplicate(duplicate), database.isMissingReference(duplicate)]).toEqual([true, false]);
    await database.close();
  });
});
