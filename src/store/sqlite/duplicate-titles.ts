import { closeSync, existsSync, openSync, renameSync } from 'node:fs';
import { titleWithNumber } from '../title.ts';
import { columnNames } from './inspect.ts';
import type { SqliteDatabase } from './driver.ts';
import { removeStagingFiles, stagingFileName } from './database-file.ts';

// Up to version 3, two sessions could have the same title; from version 4 on, a unique index prevents it.
const DUPLICATES = `
SELECT row, title FROM (SELECT rowid AS row, title, started_at,
  ROW_NUMBER() OVER (PARTITION BY title ORDER BY started_at, rowid) AS place FROM sessions WHERE title IS NOT NULL)
WHERE place > 1 ORDER BY started_at, row`;

const TITLES = 'SELECT DISTINCT title FROM sessions WHERE title IS NOT NULL';

type Duplicate = { row: number; title: string };

/** The oldest session keeps the title; later ones get a number, as titles in a lineage do. */
export function numberDuplicateTitles(database: SqliteDatabase): void {
  const rename = database.prepare('UPDATE sessions SET title = ? WHERE rowid = ?');
  // In memory, because titles have no index yet and thousands of sessions can have the same title.
  const taken = new Set((database.prepare(TITLES).all() as { title: string }[]).map(({ title }) => title));
  const numbers = new Map<string, number>();
  for (const { row, title } of findDuplicates(database)) {
    let number = (numbers.get(title) ?? 1) + 1;
    while (taken.has(titleWithNumber(title, number))) number += 1;
    numbers.set(title, number);
    taken.add(titleWithNumber(title, number));
    rename.run(titleWithNumber(title, number), row);
  }
}

/**
 * Numbering titles is the only migration step that changes what users wrote, so the original file is backed up first.
 */
export function backUpBeforeNumbering(database: SqliteDatabase, file: string): void {
  const hasTitles = columnNames(database, 'sessions').has('title');
  if (!hasTitles || findDuplicates(database).length === 0) return;
  const backup = `${file}.before-titles`;
  // A backup from an earlier, interrupted migration is older and therefore the better one.
  if (existsSync(backup)) return;
  const unfinished = stagingFileName(backup);
  removeStagingFiles(backup);
  try {
    // SQLite accepts an existing empty file; creating it here makes it private from the start.
    closeSync(openSync(unfinished, 'wx', 0o600));
    database.exec(`VACUUM INTO '${unfinished.replaceAll("'", "''")}'`);
    // Renamed when it is complete, so that a killed process leaves no partial backup under that name.
    if (!existsSync(backup)) renameSync(unfinished, backup);
  } finally {
    removeStagingFiles(backup);
  }
}

function findDuplicates(database: SqliteDatabase): Duplicate[] {
  return database.prepare(DUPLICATES).all() as Duplicate[];
}
