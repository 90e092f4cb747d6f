import { mkdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { asFileError, fileErrorReason } from './file-error-reason.ts';

function thrownBy(action: () => void): unknown {
  try {
    action();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was thrown');
}

describe('reasons for file errors', () => {
  it('are readable', () => {
    const missing = thrownBy(() => readFileSync('/nowhere/at/all'));
    expect(fileErrorReason(missing)).toBe('no such file or directory');
    expect(asFileError(missing)).toEqual({ path: '/nowhere/at/all', reason: 'no such file or directory' });
    expect(asFileError(thrownBy(() => mkdirSync(import.meta.filename)))?.reason).toContain('already exists');
    expect(fileErrorReason(thrownBy(() => readFileSync('/')))).toBe('it is a directory');
  });

  it('are the message itself for every other error', () => {
    expect(fileErrorReason(new Error('odd'))).toBe('odd');
    expect(fileErrorReason('odd')).toBe('odd');
    expect(fileErrorReason(undefined)).toBe('undefined');
    for (const thrown of [new Error('odd'), 'odd', undefined, Object.assign(new Error('x'), { code: 'ENOENT' })])
      expect(asFileError(thrown)).toBeUndefined();
  });
});
