import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { createTemporaryHome } from '../../src/testing/index.ts';
import { someOf } from '../support/dose.ts';
import { runHermes } from '../support/run-hermes.ts';

/** A file that replaces the session database, the expected message and the expected hint. */
const CASES: readonly [string, (file: string) => void, RegExp, RegExp][] = [
  [
    'the database of another program',
    (file) => run(file, 'CREATE TABLE bookmarks (url)'),
    /is a database of another program; it was not changed/,
    /Move it out of the home directory/,
  ],
  [
    'a database of a later version of ours',
    (file) => run(file, 'CREATE TABLE hermes_ts_version (version); INSERT INTO hermes_ts_version VALUES (99)'),
    /was written by a later version of this program/,
    /Update hermes-agent-ts/,
  ],
  [
    'a file that is not a database',
    (file) => writeFileSync(file, 'These are words. '.repeat(100), { mode: 0o600 }),
    /is not a SQLite database|file is not a database/,
    /hermes sessions repair|sqlite3 .* \.recover/,
  ],
  ['a folder', (file) => mkdirSync(file), /is not a file; it was not changed/, /Move it aside/],
];

const COMMANDS = [
  ['--provider', 'demo', '-z', 'hello'],
  ['sessions', 'list'],
  ['sessions', 'optimize'],
  ['sessions', 'repair'],
  ['doctor'],
];

function run(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe('another file in place of the session database', () => {
  for (const [name, make, what, next] of someOf(CASES, 2)) {
    it(`${name} is reported by every command with a hint, and not modified`, async () => {
      await using home = await createTemporaryHome();
      const file = join(home.path, 'state.db');
      make(file);
      const bytes = () => (existsSync(file) && name !== 'a folder' ? readFileSync(file) : undefined);
      const before = bytes();
      for (const command of COMMANDS) {
        const { exitCode, stdout, stderr } = await runHermes(command, { home });
        const said = command[0] === 'doctor' ? stdout : stderr;
        expect([1, 2]).toContain(exitCode);
        expect(said).toContain(file);
        expect(said).toMatch(what);
        expect(said).toMatch(next);
        expect(said).not.toMatch(/^\s+at /m);
        expect(bytes()).toEqual(before);
      }
    });
  }
});
