import { expect, it, vi } from 'vitest';
import { skipReason } from './skip-tests.fixture.ts';

it('reports skipped tests, and fails if all tests are required', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  expect(skipReason('the sandbox', undefined, true)).toBe('');
  expect(skipReason('the sandbox', 'it is not installed', false)).toBe(' (skipped: it is not installed)');
  expect(warn).toHaveBeenCalledWith('Skipped the tests of the sandbox: it is not installed.');
  expect(() => skipReason('the sandbox', 'it is not installed', true)).toThrow('the sandbox cannot be tested');
  warn.mockRestore();
});
