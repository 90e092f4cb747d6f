import { expect, it } from 'vitest';
import { resultWith } from '../../../../test/support/run-result.ts';
import { createTextSink } from '../../../../test/support/text-sink.ts';
import { toSnakeCase } from '../../text/json-line.ts';
import { createJsonLines, jsonText } from './json-lines.ts';
import { createJsonView } from './choose-view.ts';

it('converts keys to snake case and leaves values unchanged', () => {
  expect(toSnakeCase({ sessionId: 'aB', usage: { cacheRead: 1 }, list: [{ toolCallId: null }] })).toEqual({
    session_id: 'aB',
    usage: { cache_read: 1 },
    list: [{ tool_call_id: null }],
  });
});

it('escapes control characters', () => {
  const value = { text: 'a\u001b[2J\u009b2J\u007f\u202e\u2028é字' };
  expect(jsonText(value)).toBe('{"text":"a\\u001b[2J\\u009b2J\\u007f\\u202e\\u2028é字"}');
  expect(JSON.parse(jsonText(value, 2))).toEqual(value);
});

it('reports the exit code of the process in the last line', () => {
  const codes = [undefined, 1].map((exitCode) => {
    const sink = createTextSink();
    createJsonView(createJsonLines(sink)).finish(resultWith({}), exitCode);
    return (JSON.parse(sink.text) as { exit_code: number }).exit_code;
  });
  expect(codes).toEqual([0, 1]);
});

it('writes one result record with the session id, and nothing after it', () => {
  const sink = createTextSink();
  const lines = createJsonLines(sink);
  const view = createJsonView(lines);
  view.show({ type: 'started', sessionId: 's', taskId: 't', model: 'm', provider: 'p' });
  expect(lines.exitCode()).toBeUndefined();
  lines.endWithout({ exitReason: 'interrupted', exitCode: 130, error: { message: 'left' } });
  view.show({ type: 'text-delta', text: 'too late' });
  view.finish(resultWith({}));
  const records = sink.text.trimEnd().split('\n');
  expect(records).toHaveLength(2);
  expect(JSON.parse(records[1] ?? '')).toEqual({
    v: 1,
    type: 'result',
    exit_reason: 'interrupted',
    exit_code: 130,
    final_response: '',
    session_id: 's',
    task_id: 't',
    model: 'm',
    provider: 'p',
    error: { message: 'left' },
  });
  expect(lines.exitCode()).toBe(130);
});
