import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../base/index.ts';
import { fillDefaults } from './fill-defaults.ts';
import { findFaults } from './schema-match.ts';

const LIST = {
  type: 'object',
  properties: {
    sort: { type: 'string', default: 'name' },
    pages: {
      type: 'array',
      items: { type: 'object', properties: { size: { type: 'integer', default: 5 } }, required: ['size'] },
    },
    optional: { type: 'string', default: 'x' },
    broken: { type: 'string', default: 7 },
    nullable: { type: ['string', 'null'], default: 'x' },
  },
  required: ['sort', 'broken', 'nullable', 'undeclared', '__proto__'],
};

describe('missing required parameters', () => {
  it('get their default, also inside lists, and others stay missing', () => {
    const pages: JsonValue[] = [{}, { size: 1 }, 3];
    const given = { pages, nullable: null, other: 1 };
    expect(fillDefaults(given, LIST)).toEqual({ ...given, pages: [{ size: 5 }, { size: 1 }, 3], sort: 'name' });
    expect(pages[0]).toEqual({});
    expect(findFaults(fillDefaults({}, LIST), LIST)).toContainEqual(['broken']);
  });

  it('leave complete arguments as they are', () => {
    const given = { sort: 'date', broken: 'x', nullable: 'x', pages: [{ size: 1 }] };
    expect(fillDefaults(given, LIST)).toBe(given);
  });

  it('do not let two calls share a default', () => {
    const schema = { properties: { tags: { type: 'array', default: [] } }, required: ['tags'] };
    const first = fillDefaults({}, schema);
    (first['tags'] as string[]).push('x');
    expect(fillDefaults({}, schema)).toEqual({ tags: [] });
  });

  it('never change a given value or cause a new fault, whatever the schema says', () => {
    const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
    const key = fc.constantFrom('a', 'b', '__proto__', 'constructor');
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.record(
        {
          type: fc.constantFrom('object', 'string', 'array', 'null'),
          default: json,
          properties: fc.dictionary(key, tie('schema'), { maxKeys: 3, depthIdentifier: 'schema' }),
          items: fc.option(tie('schema'), { nil: true, depthIdentifier: 'schema' }),
          required: fc.oneof(fc.array(key), json),
        },
        { requiredKeys: [] },
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, json), schema, (args, raw) => {
        const filled = fillDefaults(args, raw);
        const scalars = Object.entries(args).filter(([, value]) => value !== null && typeof value !== 'object');
        expect(scalars.map(([name]) => [name, filled[name]])).toEqual(scalars);
        expect([Object.prototype, null]).toContain(Object.getPrototypeOf(filled));
        expect(findFaults(filled, raw).length).toBeLessThanOrEqual(findFaults(args, raw).length);
      }),
    );
  });
});
