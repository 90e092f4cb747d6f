import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { JsonObject, JsonValue } from '../base/index.ts';
import { coerce } from './check-arguments.ts';
import { matchesSchema } from './schema-match.ts';

type Fitting = { schema: JsonObject; value: JsonValue };
const fits = (schema: JsonObject, value: JsonValue): Fitting => ({ schema, value });
const lookAlikes = fc.constantFrom('42', 'true', 'null', '[1]', '{"a":1}');

function objectOf(properties: Record<string, Fitting>): Fitting {
  const entries = Object.entries(properties);
  const schemas = Object.fromEntries(entries.map(([key, { schema }]) => [key, schema]));
  const values = Object.fromEntries(entries.map(([key, { value }]) => [key, value]));
  return fits({ type: 'object', properties: schemas, required: Object.keys(properties) }, values);
}

/** Schemas with matching values. */
const { fitting } = fc.letrec<{ fitting: Fitting }>((tie) => ({
  fitting: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(fc.string(), lookAlikes).map((value) => fits({ type: 'string' }, value)),
    fc.integer().map((value) => fits({ type: 'integer' }, value)),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => fits({ type: 'number' }, value)),
    fc.boolean().map((value) => fits({ type: 'boolean' }, value)),
    fc.constant(fits({ type: ['string', 'null'] }, null)),
    fc.uniqueArray(fc.string(), { minLength: 1 }).map((names) => fits({ enum: names, type: 'string' }, names[0] ?? '')),
    tie('fitting').map(({ schema, value }) => fits({ type: 'array', items: schema }, [value, value])),
    fc.tuple(tie('fitting'), tie('fitting')).map(([a, b]) => fits({ anyOf: [a.schema, b.schema] }, b.value)),
    fc.dictionary(fc.string(), tie('fitting')).map(objectOf),
  ),
}));

describe('coercion', () => {
  it('never changes a value that already matches', () => {
    fc.assert(
      fc.property(fitting, ({ schema, value }) => {
        expect(matchesSchema(value, schema)).toBe(true);
        expect(coerce(value, schema)).toBe(value);
      }),
      { numRuns: 500 },
    );
  });

  it('restores values that were sent as JSON text', () => {
    const scalar = fc.oneof(
      fc.integer(),
      fc.boolean(),
      fc.array(fc.integer()),
      fc.dictionary(fc.string(), fc.integer()),
    );
    fc.assert(
      fc.property(scalar, (value) => {
        const type = Array.isArray(value) ? 'array' : typeof value === 'number' ? 'integer' : typeof value;
        expect(coerce(JSON.stringify(value), { type })).toEqual(value);
      }),
    );
  });

  verifies('TOOLX-2', 'converts the string "null" to null only if the schema expects null', () => {
    expect(coerce('null', { type: 'null' })).toBeNull();
    expect(coerce('null', { type: ['integer', 'null'] })).toBeNull();
    expect(coerce('null', { anyOf: [{ type: 'boolean' }, { type: 'null' }] })).toBeNull();
    expect(coerce('null', { type: ['string', 'null'] })).toBe('null');
    expect(coerce('nil', { type: 'null' })).toBe('nil');
  });

  it('changes no other value', () => {
    fc.assert(
      fc.property(fitting, fc.jsonValue(), ({ schema }, value) => {
        const before = JSON.stringify(value);
        coerce(value as JsonValue, schema);
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });

  it('does not convert digits that a number cannot represent', () => {
    expect(coerce('12345678901234567890', { type: 'integer' })).toBe('12345678901234567890');
    expect(coerce('', { type: 'integer' })).toBe('');
    expect(coerce('0x10', { type: 'number' })).toBe('0x10');
    expect(coerce('1.5', { type: 'integer' })).toBe(1.5);
  });
});
