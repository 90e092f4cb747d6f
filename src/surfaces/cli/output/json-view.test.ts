import { expect, it } from 'vitest';
import { toSnakeCase } from './json-view.ts';

it('writes names as the configuration does and leaves values alone', () => {
  expect(toSnakeCase({ sessionId: 'aB', usage: { cacheRead: 1 }, list: [{ toolCallId: null }] })).toEqual({
    session_id: 'aB',
    usage: { cache_read: 1 },
    list: [{ tool_call_id: null }],
  });
});
