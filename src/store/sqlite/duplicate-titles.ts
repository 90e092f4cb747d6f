import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { columnNames } from './inspect.ts';
import type { SqliteDatabase } from './driver.ts';

// Up to version 3 two sessions could have the same title; from version 4 on an index forbids it.
const DUPLICATES = `
SELECT rowid AS row, title FROM sessions AS s WHERE title IS NOT NULL
AND EXISTS (SELECT 1 FROM sessions WHERE title = s.title AND (started_at, rowid) < (s.started_at, s.rowid))
ORDER BY started_at, rowid`;

type Duplicate = { row: number; title: string };

/** The oldest session keeps a title, later ones get a number behind it, as titles in a lineage do. */
export function numberDuplicateTitles(database: SqliteDatabase): void {
  const isTaken = database.prepare('SELECT 1 FROM sessions WHERE title = ?');
  const rename = database.prepare('UPDATE sessions SET title = ? WHERE rowid = ?');
  for (const { row, title } of findDuplicates(database)) {
    let number = 2;
    while (isTaken.get(`${title} #${number}`) !== undefined) number += 1;
    rename.run(`${title} #${number}`, row);
  }
}

/** Numbering titles is the one step that changes what someone wrote, so the file as it was is kept beside it. */
export function backUpBeforeNumbering(database: SqliteDatabase, file: string): void {
  const hasTitles = columnNames(database, 'sessions').has('title');
  if (!hasTitles || findDuplicates(database).length === 0) return;
  const backup = `${file}.before-titles`;
  // A backup from an earlier try that was interrupted later is older, and so the better one.
  if (existsSync(backup)) return;
  const unfinished = `${backup}.${process.pid}.tmp`;
  rmSync(unfinished, { force: true });
  try {
    // SQLite fills an empty file that exists; made here, it is private from the beginning.
    closeSync(openSync(unfinished, 'wx', 0o600));
    database.exec(`VACUUM INTO '${unfinished.replaceAll("'", "''")}'`);
    // It gets its name when it is whole: a process that is killed on the way leaves no half backup under that name.
    if (!existsSync(backup)) renameSync(unfinished, backup);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function findDuplicates(database: SqliteDatabase): Duplicate[] {
  return database.prepare(DUPLICATES).all() as Duplicate[];
}
