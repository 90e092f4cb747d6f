import { BUDGET_MS } from '../database.ts';
import { isUndefinedTable, misconfigured } from './database-error.ts';
import type { Lane, Lanes } from './driver.ts';
import { MIGRATIONS, VERSION_TABLE } from './migrations.ts';
import { retryWhilePassing } from './retry.ts';
import { ROLLBACK, SCHEMA } from './transactions.ts';

/** A number of ours among the locks of the database, which other programs have too. */
const MIGRATION_LOCK = 4_872_065;
const OLDEST_SERVER = 130_000;
const PATIENT = { patient: true };

const READ_VERSION = `SELECT COALESCE(MAX(version), 0)::int AS version,
current_setting('server_version_num')::int AS server FROM ${VERSION_TABLE}`;
const SERVER = "SELECT 0 AS version, current_setting('server_version_num')::int AS server";

/** Brings the tables up to this version, where they are not. However many processes start at once, one of them does it. */
export async function bringUpToDate(lanes: Lanes, place: string, budgetMs: number): Promise<void> {
  const { version, server } = await retryWhilePassing(() => lanes.with(readVersion), { place, budgetMs });
  if (server < OLDEST_SERVER) {
    throw misconfigured(
      `The ${place} is of version ${Math.floor(server / 10_000)}; sessions need PostgreSQL 13 or newer.`,
      'Bring the server up to date, or give the address of another.',
    );
  }
  assertKnown(version, place);
  if (version === MIGRATIONS.length) return;
  await retryWhilePassing(() => lanes.with((lane) => migrate(lane, place)), { place, budgetMs: BUDGET_MS.upgrade });
}

type Version = { version: number; server: number };

async function readVersion(lane: Lane): Promise<Version> {
  try {
    return (await lane.query(READ_VERSION)).rows[0] as Version;
  } catch (thrown) {
    if (!isUndefinedTable(thrown)) throw thrown;
    return (await lane.query(SERVER)).rows[0] as Version;
  }
}

// The steps and the note about them are one transaction, so a process that dies on its way leaves nothing half done.
async function migrate(lane: Lane, place: string): Promise<void> {
  await lane.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
  try {
    // Whoever has it may have much to do.
    await lane.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`, [], PATIENT);
    if ((await lane.query(`SELECT to_regclass('${VERSION_TABLE}')::text AS name`)).rows[0]?.['name'] === null) {
      // Asked for only where it is missing: making what is there already needs the right to make it.
      const { rows } = await lane.query(`SELECT 1 FROM pg_namespace WHERE nspname = '${SCHEMA}'`);
      if (rows.length === 0) await lane.query(`CREATE SCHEMA ${SCHEMA}`);
      await lane.query(
        `CREATE TABLE ${VERSION_TABLE} (version integer PRIMARY KEY, reached_at timestamptz DEFAULT now())`,
      );
    }
    const { version } = await readVersion(lane);
    assertKnown(version, place);
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

function assertKnown(version: number, place: string): void {
  if (version <= MIGRATIONS.length) return;
  throw misconfigured(
    `The ${place} was brought to version ${version} by a newer Hermes; this one knows version ${MIGRATIONS.length}.`,
    'Install the same version of Hermes on all machines that share the database.',
  );
}
