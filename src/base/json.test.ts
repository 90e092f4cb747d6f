import { expect, it } from 'vitest';
import { parseJson } from './json.ts';

it('parses JSON, and says nothing about what is none', () => {
  expect(parseJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(parseJson('null')).toBeNull();
  for (const text of ['', '{', 'undefined', "{'a':1}"]) expect(parseJson(text)).toBeUndefined();
});
