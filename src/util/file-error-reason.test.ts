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

describe('reasons of file errors', () => {
  it('are told in words', () => {
    const missing = thrownBy(() => readFileSync('/nowhere/at/all'));
    expect(fileErrorReason(missing)).toBe('there is no such file or folder');
    expect(asFileError(missing)).toEqual({ path: '/nowhere/at/all', reason: 'there is no such file or folder' });
    expect(asFileError(thrownBy(() => mkdirSync(import.meta.filename)))?.reason).toContain('in the way');
    expect(fileErrorReason(thrownBy(() => readFileSync('/')))).toBe('it is a folder');
  });

  it('leave every other error as it is', () => {
    expect(fileErrorReason(new Error('odd'))).toBe('odd');
    expect(fileErrorReason('odd')).toBe('odd');
    expect(fileErrorReason(undefined)).toBe('undefined');
    for (const thrown of [new Error('odd'), 'odd', undefined, Object.assign(new Error('x'), { code: 'ENOENT' })])
      expect(asFileError(thrown)).toBeUndefined();
  });
});
