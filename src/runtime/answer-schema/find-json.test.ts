import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJson } from './answer-schema.ts';

const first = (text: string) => findJson(text)[0]?.json;

describe('findJson', () => {
  it('uses the whole text if it is JSON, otherwise the JSON in it', () => {
    expect(first(' {"a": 1.0}\n')).toBe('{"a": 1.0}');
    expect(first('So:\n```json\n{"a":1}\n```\nbetter:\n```\n{"a":2}\n```')).toBe('{"a":2}');
    expect(first('The answer is [1, 2], as asked.')).toBe('[1, 2]');
    expect(first('The answer is {"a": [1]} now.')).toBe('{"a": [1]}');
    expect(findJson('nothing { of the kind ]')).toEqual([]);
  });

  it('reads closed blocks and skips any number of unclosed fences', () => {
    expect(first('```\nnot closed\n~~~json\n[1, 2]\n ~~~ \n')).toBe('[1, 2]');
    expect(first('~~~\n{"a":1}\n```\n{"a":2}\n~~~')).toBeUndefined();
    // This would take minutes if the end of each fence were searched up to the end of the text.
    const manyOpen = `${'```a\n'.repeat(50_000)}~~~\n[3]\n~~~`;
    expect(first(manyOpen)).toBe('[3]');
  });

  it('finds any value after text and a fence, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        expect(findJson(`Here:\n~~~json\n${json}\n~~~\n`)[0]).toEqual({ json, value: JSON.parse(json) });
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => Array.isArray(findJson(text))));
  });
});
