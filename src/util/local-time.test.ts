import { expect, it } from 'vitest';
import { localTime, timestampForFileName } from './local-time.ts';

it('formats local time with leading zeros', () => {
  const at = new Date(2026, 4, 1, 9, 5, 7).getTime();
  expect(localTime(at)).toBe('2026-05-01 09:05');
  expect(timestampForFileName(at)).toBe('20260501-090507');
});
