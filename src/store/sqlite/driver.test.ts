import { describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { isWalSafe, openDatabase, sqliteCode } from './driver.ts';

describe('the driver', () => {
  verifies('STORE-2', 'the write-ahead log is used from SQLite 3.51.3 on', () => {
    for (const version of ['3.51.3', '3.51.10', '3.52.0', '4.0.0']) expect(isWalSafe(version)).toBe(true);
    for (const version of ['3.51.2', '3.50.4', '3.9.99', '2.60.0', '']) expect(isWalSafe(version)).toBe(false);
    expect(isWalSafe()).toBe(true);
  });

  it('suppresses only the warning about SQLite, and only while loading it', () => {
    const emitted: unknown[] = [];
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void emitted.push(warning));
    const load = vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => {
      process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning');
      process.emitWarning('something else');
      throw new Error('stop here');
    });
    const before: unknown = Reflect.get(process, 'emitWarning');
    try {
      expect(() => openDatabase(':memory:')).toThrow('stop here');
      expect(Reflect.get(process, 'emitWarning')).toBe(before);
    } finally {
      load.mockRestore();
      emit.mockRestore();
    }
    expect(emitted).toEqual(['something else']);
  });

  it('says what is required on a Node without SQLite', () => {
    const load = vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => undefined);
    try {
      expect(() => openDatabase(':memory:')).toThrow('has no SQLite');
    } finally {
      load.mockRestore();
    }
  });

  it('distinguishes SQLite codes from other errors', () => {
    const database = openDatabase(':memory:');
    database.exec('CREATE TABLE one (id INTEGER PRIMARY KEY)');
    const codeOf = (work: () => unknown) => {
      try {
        return work();
      } catch (thrown) {
        return sqliteCode(thrown);
      }
    };
    expect(codeOf(() => database.exec('INSERT INTO one VALUES (1), (1)'))).toBe(1555);
    expect(sqliteCode(new Error('no'))).toBeUndefined();
    expect(sqliteCode('no')).toBeUndefined();
    database.close();
  });
});
