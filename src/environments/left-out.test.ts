import { expect, it, vi } from 'vitest';
import { leftOut } from './left-out.fixture.ts';

it('what cannot be tried is said and left out, and fails where everything has to be tried', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  expect(leftOut('the sandbox', undefined, true)).toBe('');
  expect(leftOut('the sandbox', 'it is not installed', false)).toBe(': left out, because it is not installed');
  expect(warn).toHaveBeenCalledWith('Not tried: the sandbox, because it is not installed.');
  expect(() => leftOut('the sandbox', 'it is not installed', true)).toThrow('the sandbox cannot be tried');
  warn.mockRestore();
});
