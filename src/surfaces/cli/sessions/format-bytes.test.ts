import { expect, it } from 'vitest';
import { formatBytes } from './format-bytes.ts';

it('formats a size in the largest unit that fits', () => {
  expect([0, 999, 1000, 3_400_000, 5e12].map(formatBytes)).toEqual(['0 B', '999 B', '1.0 kB', '3.4 MB', '5000.0 GB']);
});
