import { describe, expect, it } from 'vitest';
import { createEventReader } from './server-events.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => {
  const reader = createEventReader();
  return [...reader.feed(bytes(text)), ...reader.end()];
};

describe('server-sent events', () => {
  it('become objects, however their data is formatted', () => {
    expect(read('data: {"a":\ndata: 1}\n\ndata:{"b":2}\r\n\r\n')).toEqual([{ event: { a: 1 } }, { event: { b: 2 } }]);
  });

  it('may lack the blank line after the last event if it is complete', () => {
    expect(read('data: {"a":1}')).toEqual([{ event: { a: 1 } }]);
    expect(read('data: {"a":1')).toEqual([]);
  });

  it('take their type from the event line if the data has none', () => {
    expect(read('event: ping\ndata: {}\n\n')).toEqual([{ event: { type: 'ping' } }]);
    expect(read('event: x\ndata: {"type":"y"}\n\n')).toEqual([{ event: { type: 'y' } }]);
    expect(read('event: error\ndata: {"message":"m"}\n\n')).toEqual([
      { event: { type: 'error', error: { message: 'm' } } },
    ]);
  });

  it('are rejected if they are not JSON objects', () => {
    for (const data of ['{', '1', '[]', 'null', 'hello']) {
      expect(read(`data: ${data}\n\n`)).toEqual([{ failure: expect.objectContaining({ kind: 'invalid_response' }) }]);
    }
  });

  it('are rejected if one never ends', () => {
    const reader = createEventReader();
    const chunk = bytes(`data: ${'x'.repeat(9 * 1024 * 1024)}`);
    expect(reader.feed(chunk)).toEqual([]);
    expect(reader.feed(chunk)).toEqual([{ failure: expect.objectContaining({ kind: 'invalid_response' }) }]);
  });
});
