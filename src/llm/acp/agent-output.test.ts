import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMessageParser } from './agent-output.ts';

describe('parsing messages from lines', () => {
  it('returns complete messages however the bytes are split', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 10 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 7 }), (values, size) => {
        const messages = values.map((value) => ({ jsonrpc: '2.0', value }));
        const bytes = new TextEncoder().encode(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
        const lines = createMessageParser();
        const found = [];
        for (let from = 0; from < bytes.length; from += size)
          found.push(...lines.feed(bytes.slice(from, from + size)).messages);
        expect(found).toEqual(messages);
      }),
    );
  });

  it('never throws, and returns nothing after invalid output', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const lines = createMessageParser();
        lines.feed(new TextEncoder().encode('{"jsonrpc":"2.0"}\n'));
        const { messages, fault } = lines.feed(new Uint8Array([...bytes, 10]));
        const isBlank = new TextDecoder().decode(bytes).trim() === '';
        expect(messages).toEqual([]);
        expect(fault === undefined).toBe(isBlank);
      }),
    );
  });
});
