import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { HermesError } from '../../base/index.ts';
import { openForTest, startChild, temporaryFile, withDatabase } from './fixtures.ts';
import { chooseDatabaseFile, openSqliteStore } from './index.ts';

async function failureOf(work: Promise<unknown>): Promise<HermesError> {
  const thrown = await work.then(
    () => new Error('it worked'),
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(HermesError);
  return thrown as HermesError;
}

describe('a file that cannot be used is named and not changed', () => {
  for (const [name, bytes] of [
    ['a text', 'This is not a database. '.repeat(100)],
    ['two bytes', 'hi'],
    ['a header followed by garbage', `SQLite format 3\0${'x'.repeat(5000)}`],
  ] as const) {
    it(`${name} instead of a database`, async () => {
      const file = temporaryFile();
      writeFileSync(file, bytes);
      const failure = await failureOf(openSqliteStore({ file }));
      expect(failure.message).toContain(`${file} is not a SQLite database`);
      expect(failure.hint).toContain('move the file');
      expect(readFileSync(file, 'utf8')).toBe(bytes);
    });
  }

  it('a corrupt file', async () => {
    const file = temporaryFile();
    const store = await openForTest({ file });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
    for (let number = 0; number < 60; number += 1) {
      await store.appendMessages('one', [{ role: 'user', content: `${number} ${'x'.repeat(900)}` }]);
    }
    await store.close();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4096 * 2);
    writeFileSync(file, bytes);
    const use = async () => {
      const damaged = await openForTest({ file });
      await damaged.appendMessages('one', [{ role: 'user', content: 'x' }]);
      await damaged.getConversation('one');
    };
    const failure = await failureOf(use());
    expect(failure.message).toContain(`${file} is damaged`);
    expect(failure.hint).toContain('hermes sessions repair');
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it('the database of another program', async () => {
    for (const sql of [
      'CREATE TABLE bookmarks (url)',
      'CREATE TABLE sessions (id); CREATE TABLE messages (id, role)',
    ]) {
      const file = temporaryFile();
      withDatabase(file, (database) => database.exec(sql));
      const before = readFileSync(file);
      const failure = await failureOf(openSqliteStore({ file }));
      expect(failure.message).toContain(`${file} is a database of another program`);
      expect(readFileSync(file).equals(before)).toBe(true);
    }
  });

  it('a folder instead of the file, or a file instead of its folder', async () => {
    const folder = temporaryFile();
    mkdirSync(folder);
    expect((await failureOf(openSqliteStore({ file: folder }))).message).toContain(folder);
    const inside = join(temporaryFile(), 'state.db');
    writeFileSync(dirname(inside), '');
    expect((await failureOf(openSqliteStore({ file: inside }))).message).toContain(inside);
  });

  describeLaterVersions();
  describePermissions();
});

function describeLaterVersions(): void {
  verifies('STORE-1', 'a file of a later version of the original; our own file next to it is used', async () => {
    for (let version = 7; version <= 30; version += 1) {
      const file = temporaryFile();
      withDatabase(file, (database) =>
        database.exec(`CREATE TABLE schema_version (version INTEGER); INSERT INTO schema_version VALUES (${version});
          CREATE TABLE sessions (id TEXT PRIMARY KEY, new_column TEXT); CREATE TABLE messages (id INTEGER)`),
      );
      const before = readFileSync(file);
      const failure = await failureOf(openSqliteStore({ file }));
      expect(failure.message).toContain(file);
      expect(failure.message).toContain('hermes.db');
      const own = await chooseDatabaseFile(dirname(file));
      expect(own).toBe(join(dirname(file), 'hermes.db'));
      await openForTest({ file: own });
      expect(readFileSync(file).equals(before)).toBe(true);
    }
  });

  verifies('STORE-1', 'in all other cases state.db is used', async () => {
    const file = temporaryFile();
    const home = dirname(file);
    expect(await chooseDatabaseFile(home)).toBe(file);
    expect(existsSync(file)).toBe(false);
    const store = await openForTest({ file });
    expect(await chooseDatabaseFile(home)).toBe(file);
    await store.close();
    expect(await chooseDatabaseFile(home)).toBe(file);
    writeFileSync(file, 'This is not a database.');
    expect(await chooseDatabaseFile(home)).toBe(file);
  });

  it('a file of a later version of ours', async () => {
    const file = temporaryFile();
    await (await openForTest({ file })).close();
    withDatabase(file, (database) => database.exec('UPDATE hermes_ts_version SET version = 99'));
    const before = readFileSync(file);
    const failure = await failureOf(openSqliteStore({ file }));
    expect(failure.message).toContain(`${file} was written by a later version of this program (99`);
    expect(failure.hint).toContain('Update');
    expect(readFileSync(file).equals(before)).toBe(true);
  });
}

function describePermissions(): void {
  const isRoot = process.getuid?.() === 0;

  // Root can write everywhere, so these run in a process that drops its privileges.
  it.runIf(isRoot)('a file or a folder that is not writable', async () => {
    const file = temporaryFile();
    await (await openForTest({ file })).close();
    chmodSync(dirname(file), 0o755);
    chmodSync(file, 0o644);
    const size = statSync(file).size;
    const missing = join(dirname(file), 'missing.db');
    const missingFolder = join(dirname(file), 'folder', 'state.db');
    for (const path of [file, missing, missingFolder]) {
      const { lines, errors } = await startChild('open-as-nobody', path).ended;
      expect(errors).toBe('');
      expect(lines.join('\n')).toContain(`The session database ${path} cannot be used: permission denied`);
      expect(lines.join('\n')).toContain('choose another home directory with HERMES_HOME');
    }
    chmodSync(dirname(file), 0o777);
    const { lines } = await startChild('open-as-nobody', file).ended;
    expect(lines.join('\n')).toContain(`The session database ${file} cannot be used: permission denied`);
    expect(statSync(file).size).toBe(size);
    expect(existsSync(missing)).toBe(false);
  });

  // In a folder that others can read, each file must be private itself.
  it.runIf(isRoot)('other users cannot read the file or its blobs', async () => {
    const file = temporaryFile();
    const store = await openForTest({ file });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
    const { hash } = await store.putBlob('one', Buffer.from('x'), 'text/plain');
    chmodSync(dirname(file), 0o755);
    const open = join(dirname(file), 'open.txt');
    writeFileSync(open, 'x', { mode: 0o644 });
    const files = [file, `${file}-wal`, join(`${file}.blobs`, hash.slice(0, 2), hash), open];
    const { lines, errors } = await startChild('read-as-nobody', ...files).ended;
    expect(errors).toBe('');
    expect(lines).toEqual(['EACCES', 'EACCES', 'EACCES', 'readable']);
  });
}
