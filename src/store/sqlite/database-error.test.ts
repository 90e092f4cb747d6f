import { describe, expect, it } from 'vitest';
import { HermesError } from '../../base/index.ts';
import { explainDatabaseError, isBusy } from './database-error.ts';

const sqliteError = (errcode: number) => Object.assign(new Error('as SQLite says it'), { errcode });

describe('SQLite errors', () => {
  for (const [code, what] of [
    [8, 'cannot be written'],
    [1032, 'cannot be written'],
    [778, 'input/output error'],
    [11, 'is damaged'],
    [267, 'has a damaged search index'],
    [13, 'the disk is full'],
    [4874, 'the disk is full'],
    [14, 'cannot be opened'],
    [26, 'is not a SQLite database'],
  ] as const) {
    it(`code ${code} is reported as "${what}", with the file and a hint`, () => {
      const cause = sqliteError(code);
      const explained = explainDatabaseError(cause, '/home/me/state.db') as HermesError;
      expect(explained).toBeInstanceOf(HermesError);
      expect(explained.message).toContain('/home/me/state.db');
      expect(explained.message).toContain(what);
      expect(explained.hint).toMatch(/\.$|repair$/);
      expect(explained.cause).toBe(cause);
    });
  }

  it('returns everything else unchanged', () => {
    for (const thrown of [sqliteError(19), new Error('a fault of ours'), 'text', undefined]) {
      expect(explainDatabaseError(thrown, 'x')).toBe(thrown);
    }
  });

  it('recognises errors caused by another process', () => {
    for (const code of [5, 6, 261, 517, 262, 15]) expect(isBusy(sqliteError(code))).toBe(true);
    for (const code of [1, 11, 19, 26]) expect(isBusy(sqliteError(code))).toBe(false);
    expect(isBusy(new Error('database is locked'))).toBe(false);
  });
});
