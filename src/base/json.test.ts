import { expect, it } from 'vitest';
import { dose } from '../../test/support/dose.ts';
import { canonicalJson, type JsonValue, parseJson } from './json.ts';

it('parses JSON and returns undefined for anything else', () => {
  expect(parseJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(parseJson('null')).toBeNull();
  for (const text of ['', '{', 'undefined', "{'a':1}"]) expect(parseJson(text)).toBeUndefined();
});

it('writes equal values as equal text, at any depth', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
  const depth = dose(30_000, 100_000);
  const lists = '['.repeat(depth) + ']'.repeat(depth);
  expect(canonicalJson(JSON.parse(lists) as JsonValue)).toBe(lists);
  const objects = `${'{"a":[1,"x"],"b":'.repeat(depth)}{}${'}'.repeat(depth)}`;
  expect(canonicalJson(JSON.parse(objects) as JsonValue)).toBe(objects);
});
