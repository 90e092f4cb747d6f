import { BUDGET_MS } from '../database.ts';
import { isUndefinedTable, misconfigured } from './database-error.ts';
import type { DedicatedConnection, ConnectionPool } from './driver.ts';
import { MIGRATIONS, VERSION_TABLE } from './migrations.ts';
import { retryTransientErrors } from './retry.ts';
import { ROLLBACK, SCHEMA } from './transactions.ts';

/** Our key for advisory locks, which are shared with other programs. */
const MIGRATION_LOCK = 4_872_065;
const OLDEST_SERVER = 130_000;
const PATIENT = { patient: true };

const FACTS = "current_setting('server_version_num')::int AS server, pg_backend_pid() AS process";
const READ_VERSION = `SELECT COALESCE(MAX(version), 0)::int AS version, ${FACTS} FROM ${VERSION_TABLE}`;
const SERVER = `SELECT 0 AS version, ${FACTS}`;

/** Migrates the tables to this version if necessary. If several processes start at the same time, only one migrates. */
export async function migrateIfNeeded(lanes: ConnectionPool, location: string, budgetMs: number): Promise<void> {
  const { version, server, isPooled } = await retryTransientErrors(() => lanes.with(readVersion), {
    location: location,
    budgetMs,
  });
  if (isPooled) lanes.avoidPreparedStatements();
  if (server < OLDEST_SERVER) {
    throw misconfigured(
      `The ${location} has version ${Math.floor(server / 10_000)}, but PostgreSQL 13 or newer is required.`,
      'Upgrade the server, or use the URL of another one.',
    );
  }
  assertKnown(version, location);
  if (version === MIGRATIONS.length) return;
  await retryTransientErrors(() => lanes.with((lane) => migrate(lane, location)), {
    location: location,
    budgetMs: BUDGET_MS.upgrade,
  });
}

type Version = { version: number; server: number; isPooled: boolean };

async function readVersion(lane: DedicatedConnection): Promise<Version> {
  const { rows, processId } = await lane.query(READ_VERSION).catch((thrown: unknown) => {
    if (!isUndefinedTable(thrown)) throw thrown;
    return lane.query(SERVER);
  });
  const { process, ...version } = rows[0] as Omit<Version, 'isPooled'> & { process: number };
  // A pooler introduces itself with a number of its own, not with that of the server process.
  return { ...version, isPooled: processId !== undefined && processId !== process };
}

// The steps and the version number are written in one transaction, so that a process that dies leaves nothing half
// done.
async function migrate(lane: DedicatedConnection, location: string): Promise<void> {
  await lane.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
  try {
    // No timeout, because the process that holds the lock may need long.
    await lane.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`, [], PATIENT);
    if ((await lane.query(`SELECT to_regclass('${VERSION_TABLE}')::text AS name`)).rows[0]?.['name'] === null) {
      // Created only if it is missing, because CREATE SCHEMA IF NOT EXISTS requires the privilege to create it.
      const { rows } = await lane.query(`SELECT 1 FROM pg_namespace WHERE nspname = '${SCHEMA}'`);
      if (rows.length === 0) await lane.query(`CREATE SCHEMA ${SCHEMA}`);
      await lane.query(
        `CREATE TABLE ${VERSION_TABLE} (version integer PRIMARY KEY, reached_at timestamptz DEFAULT now())`,
      );
    }
    const { version } = await readVersion(lane);
    assertKnown(version, location);
    for (const [index, step] of MIGRATIONS.entries()) {
      if (index < version) continue;
      await lane.query(`SET LOCAL search_path TO ${SCHEMA}; ${step}`, [], PATIENT);
      await lane.query(`INSERT INTO ${VERSION_TABLE} (version) VALUES (${index + 1})`);
    }
    await lane.query('COMMIT');
  } catch (thrown) {
    await lane.query(ROLLBACK).catch(() => lane.discard());
    throw thrown;
  }
}

function assertKnown(version: number, location: string): void {
  if (version <= MIGRATIONS.length) return;
  throw misconfigured(
    `The ${location} was upgraded to version ${version} by a newer Hermes; this one only supports version ${MIGRATIONS.length}.`,
    'Install the same version of Hermes on all machines that share the database.',
  );
}
