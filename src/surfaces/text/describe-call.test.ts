import { expect, it } from 'vitest';
import { describeToolCall } from '../acp/describe-tool-call.ts';
import { describeCall } from './describe-call.ts';

const described = (path: unknown, more = {}) => describeCall('read_file', JSON.stringify({ path, ...more }));

it('names the files that a call reads', () => {
  expect(described('a.ts')).toBe('a.ts');
  expect(described(['a.ts', 'b.ts'], { offset: 2, limit: 3 })).toBe('a.ts, b.ts:2-4');
  expect(described(['a', 'b', 'c', 'd'])).toBe('a, b and 2 more');
  expect(described([1, {}, null])).toBe('');
});

it('gives editors the location of each file', () => {
  const { locations } = describeToolCall('read_file', JSON.stringify({ path: ['a.ts', '/b.ts', 3] }), '/work');
  expect(locations).toEqual([{ path: '/work/a.ts' }, { path: '/b.ts' }]);
});
