import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from './json-repair.ts';

describe('reading JSON as models write it', () => {
  it.each([
    ['trailing commas', '{"a": [1, 2,], "b": 3,}', { a: [1, 2], b: 3 }],
    ['single quotes', "{'a': 'x \"y\" z'}", { a: 'x "y" z' }],
    ['bare keys', '{path: "a", line-count: 2}', { path: 'a', 'line-count': 2 }],
    ['Python constants', '{"a": True, "b": False, "c": None}', { a: true, b: false, c: null }],
    ['code fences', '```json\n{"a": 1}\n```', { a: 1 }],
    ['raw newlines in strings', '{"a": "one\ntwo\tthree"}', { a: 'one\ntwo\tthree' }],
    ['an escaped single quote', `{"a": "it\\'s"}`, { a: "it's" }],
    ['numbers and escapes', '{"a": -1.5e3, "b": "\\u00e9\\n",}', { a: -1500, b: 'é\n' }],
    ['a key that is no property', '{"__proto__": 1,}', JSON.parse('{"__proto__": 1}')],
  ])('repairs %s', (_name, text, value) => {
    expect(readJson(text)).toEqual({ status: 'repaired', value });
  });

  it.each([
    ['two values', '{"a": 1} {"b": 2}'],
    ['a missing comma', '{"a": 1 "b": 2}'],
    ['two commas', '{"a": 1,, "b": 2}'],
    ['quotes inside quotes', '{"a": "say "hi" now"}'],
    ['an apostrophe', "{'a': 'don't'}"],
    ['an escape that means nothing', '{"a": "\\d+"}'],
    ['a bare value', '{"a": hello}'],
    ['plain text', 'please run ls'],
    ['a number with letters', '{"a": 12px}'],
    ['endless nesting', '['.repeat(500) + ']'.repeat(500).replace(/]$/, ',]')],
  ])('does not guess at %s', (_name, text) => {
    expect(readJson(text)).toMatchObject({ status: 'unparsable' });
  });

  it('leaves valid JSON to the real parser', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(readJson(text)).toEqual({ status: 'valid', value: JSON.parse(text) });
      }),
    );
  });

  it('never completes truncated text, wherever it was truncated', () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
    fc.assert(
      fc.property(objects, fc.double({ min: 0, max: 0.999, noNaN: true }), (object, share) => {
        const text = JSON.stringify(object);
        const cut = text.slice(0, Math.floor(text.length * share));
        expect(readJson(cut).status).toBe('truncated');
      }),
      { numRuns: 500 },
    );
  });

  it('invents nothing: a repaired value contains only what the text contains', () => {
    const noise = fc.constantFrom(',', '}', ']', '"', "'", '{', '[', ':', ' ', '\n', 'None', 'x');
    // No backslashes: inserting a character would change the meaning of an escape sequence.
    const plain = fc.string().map((text) => text.replaceAll('\\', '/'));
    fc.assert(
      fc.property(fc.dictionary(plain, plain), noise, fc.nat(), (object, piece, at) => {
        const text = JSON.stringify(object);
        const where = at % (text.length + 1);
        const reading = readJson(text.slice(0, where) + piece + text.slice(where));
        if (reading.status !== 'repaired') return;
        const known = Object.entries(object).flat().join('') + piece;
        for (const found of Object.entries(reading.value as Record<string, string | null>).flat()) {
          for (const character of found ?? '') expect(known + 'null').toContain(character);
        }
      }),
      { numRuns: 500 },
    );
  });
});
