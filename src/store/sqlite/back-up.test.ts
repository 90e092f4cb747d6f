import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { HermesError } from '../../base/index.ts';
import { backUpDatabase } from './index.ts';
import { openDatabase } from './driver.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-copy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const countIn = (file: string): unknown => {
  const database = openDatabase(file, { readOnly: true });
  try {
    return database.prepare('SELECT COUNT(*) AS n FROM t').get();
  } finally {
    database.close();
  }
};

describe('backing up a database', () => {
  verifies(
    'SURF-2',
    'contains everything committed, even while another process writes and the main file is still empty',
    async () => {
      const folder = makeFolder();
      const file = join(folder, 'a.db');
      const writer = openDatabase(file);
      onTestFinished(() => writer.close());
      writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)');
      writer.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES (3)');
      const copy = join(folder, 'copy.db');
      await backUpDatabase(file, copy);
      expect(readdirSync(folder).filter((name) => name.startsWith('copy.db-'))).toEqual([]);
      writer.exec('COMMIT');
      expect([countIn(copy), countIn(file)]).toEqual([{ n: 2 }, { n: 3 }]);
    },
  );

  it('reports a file that is not a database', async () => {
    const file = join(makeFolder(), 'a.db');
    writeFileSync(file, 'no database at all, only a long enough text '.repeat(50));
    await expect(backUpDatabase(file, `${file}.copy`)).rejects.toThrow(HermesError);
    await expect(backUpDatabase(file, `${file}.copy`)).rejects.toThrow(file);
  });
});
