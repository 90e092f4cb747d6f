import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../base/index.ts';
import { outputFormat } from './output-schema.ts';

const formatOf = (outputSchema: JsonObject) =>
  outputFormat({ system: '', messages: [], tools: [], toolChoice: 'auto', stream: true, outputSchema });
const closed = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

describe('outputFormat', () => {
  it('is strict if every object is closed and every property required', () => {
    const inner = closed({ b: { type: 'string' } });
    expect(formatOf(closed({ a: inner, list: { type: 'array', items: inner } }))?.strict).toBe(true);
    const open: JsonObject[] = [
      closed({ a: { type: 'object', properties: { b: { type: 'string' } } } }),
      closed({ a: { type: 'string' } }, { required: [] }),
      closed({ a: { type: 'string' } }, { additionalProperties: true }),
      closed({ a: { type: 'string', minLength: 3 } }),
      closed({ a: { anyOf: [{ type: 'null' }, { type: 'object' }] } }),
      closed({ a: true }),
    ];
    for (const schema of open) expect([schema, formatOf(schema)?.strict]).toEqual([schema, false]);
  });

  it('omits keys about the file, and is undefined if the root is not an object', () => {
    expect(formatOf({ $schema: 'x', $id: 'y', ...closed({}) })?.schema).toEqual(closed({}));
    expect(formatOf({ type: 'array' })).toBeUndefined();
    expect(formatOf({ anyOf: [closed({})] })).toBeUndefined();
  });
});
