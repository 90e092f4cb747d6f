import { type Lock, spell, type Spelling } from '../database.ts';

const SPELLING: Spelling = {
  text: (value) => `(${value})::text COLLATE "C"`,
  // The clocks of machines differ; that of the server is the same for all of them.
  now: (value) => `COALESCE(${value}::float8, extract(epoch FROM clock_timestamp())::float8)`,
  order: (table) => `${table}.place`,
  bytes: (column) => column,
  whole: (value) => `FLOOR(${value})::bigint`,
  hasText: (column) => `${column} ~ '[^ \\t\\n\\r]'`,
  like: () => 'ILIKE',
  isCopy: (table) =>
    `(${table}.copy_of IS NOT NULL AND EXISTS (SELECT 1 FROM messages o WHERE o.id = ${table}.copy_of))`,
  forUpdate: () => 'FOR UPDATE',
  forShare: () => 'FOR SHARE',
};

/** A number of ours among the advisory locks of the database. */
const TITLES_LOCK = 4_872_066;

export const LOCKS: Record<Lock, string> = {
  titles: `SELECT pg_advisory_xact_lock(${TITLES_LOCK})`,
  lease: "SELECT pg_advisory_xact_lock(hashtextextended('hermes lease ' || $1, 0))",
  session: 'SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE',
  sessionForShare: 'SELECT 1 FROM sessions WHERE id = $1 FOR SHARE',
};

/** Translates statements of the store logic; `?` and `?1` become `$1`. Each is translated once. */
export function createTranslator(): (sql: string) => string {
  const translated = new Map<string, string>();
  return (sql) => {
    let known = translated.get(sql);
    if (known === undefined) {
      let last = 0;
      known = spell(sql, SPELLING).replace(/\?(\d*)/g, (_, number) => `$${number || (last += 1)}`);
      translated.set(sql, known);
    }
    return known;
  };
}
