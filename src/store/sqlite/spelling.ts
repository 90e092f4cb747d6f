import type { Spelling } from '../database.ts';

/**
 * The ids of all message copies. A copy whose original was deleted counts as an original. The ids come from a small
 * index, because checking the column of every message would read all their text.
 */
export const COPIES = `SELECT c.id FROM messages c
WHERE c.copy_of IS NOT NULL AND EXISTS (SELECT 1 FROM messages o WHERE o.id = c.copy_of)`;

export const SQLITE: Spelling = {
  text: (value) => value,
  now: (value) => value,
  order: (table) => `${table}.rowid`,
  bytes: (column) => `CAST(${column} AS BLOB)`,
  whole: (value) => `CAST(${value} AS INTEGER)`,
  hasText: (column) => `${column} GLOB '*[^ ' || char(9, 10, 13) || ']*'`,
  like: () => 'LIKE',
  isCopy: (table) => `${table}.id IN (${COPIES})`,
  // A write transaction locks the whole file.
  forUpdate: () => '',
  forShare: () => '',
  skipLocked: () => '',
  textKey: () => 'TEXT',
  serialKey: () => 'INTEGER PRIMARY KEY AUTOINCREMENT',
};
