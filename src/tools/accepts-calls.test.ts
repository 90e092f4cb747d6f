import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { JsonObject } from '../base/index.ts';
import { acceptsCallsFor } from './accepts-calls.ts';

const TEXT = { type: 'string' };
const object = (properties: JsonObject, ...required: string[]) => ({ type: 'object', properties, required });

verifies('CACHE-4', 'a tool keeps its stored definition only if it accepts the calls that it allows', () => {
  const before = object({ path: TEXT, mode: { type: 'string', enum: ['a', 'b'] } }, 'path');
  const mode = (...values: string[]) => ({ type: 'string', enum: values });
  const accepted = [
    object({ path: { ...TEXT, description: 'Other words.' }, mode: mode('a', 'b') }, 'path'),
    object({ path: TEXT, mode: mode('a', 'b', 'c'), more: TEXT }, 'path'),
    object({ path: TEXT, mode: { type: ['string', 'null'] } }),
    { ...before, title: 'Read' },
  ];
  const refused = [
    object({ path: TEXT }, 'path'),
    object({ path: TEXT, mode: mode('a') }, 'path'),
    object({ path: { type: 'number' }, mode: mode('a', 'b') }, 'path'),
    object({ path: TEXT, mode: mode('a', 'b'), more: TEXT }, 'path', 'more'),
    object({ path: { ...TEXT, pattern: '^/' }, mode: mode('a', 'b') }, 'path'),
    { ...before, additionalProperties: false },
  ];
  expect(accepted.map((now) => acceptsCallsFor(now, before))).toEqual(accepted.map(() => true));
  expect(refused.map((now) => acceptsCallsFor(now, before))).toEqual(refused.map(() => false));
  const list = (items: JsonObject) => object({ all: { type: 'array', items } });
  expect(acceptsCallsFor(list(object({ a: TEXT, b: TEXT })), list(object({ a: TEXT })))).toBe(true);
  expect(acceptsCallsFor(list(object({ b: TEXT })), list(object({ a: TEXT })))).toBe(false);
});
