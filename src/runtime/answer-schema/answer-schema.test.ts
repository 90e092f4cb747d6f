import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject, JsonValue } from '../../base/index.ts';
import { type AnswerSchema, createAnswerSchema } from './index.ts';
import { fullDoseOnly } from '../../../test/support/dose.ts';

function usable(schema: JsonValue): AnswerSchema {
  const made = createAnswerSchema(schema);
  if ('fault' in made) throw new Error(made.fault);
  return made;
}

function nested(levels: number): JsonObject {
  let schema: JsonObject = {};
  for (let level = 0; level < levels; level += 1) schema = { items: schema };
  return schema;
}

describe('createAnswerSchema', () => {
  verifies('SURF-13', 'rejects an unusable schema before a model is called, wherever the mistake is', () => {
    const wrong: [JsonValue, string][] = [
      [false, 'it is not an object'],
      [{ properties: { a: { $ref: '#/nowhere' } } }, 'Unresolved $ref "#/nowhere"'],
      [{ $defs: { a: { anyOf: [{ items: { $ref: 'http://127.0.0.1/x' } }] } } }, 'Unresolved $ref'],
      [{ properties: { a: { items: [{ pattern: '[' }] } } }, 'Invalid regular expression'],
      [{ properties: { a: { $ref: '#/properties/a' } } }, 'circular'],
      [{ properties: { a: { enum: 'b' } } }, 'not a function'],
      [{ $id: 'http://a', properties: { a: { $id: 'http://a' } } }, 'Duplicate schema URI'],
      [{ contains: { type: 'file' } }, '"file" at /contains/type is not a valid type'],
      [nested(20_000), 'too deep'],
    ];
    for (const [schema, fault] of wrong) {
      expect(createAnswerSchema(schema)).toEqual({ fault: expect.stringContaining(fault) });
    }
  });

  it('reports the error of the referenced schema, not of the reference', () => {
    const made = createAnswerSchema({ properties: { a: { $ref: '#/nowhere' } } });
    expect(made).toEqual({ fault: 'Unresolved $ref "#/nowhere"' });
  });

  it('accepts recursive schemas and ignores what is not a schema', () => {
    const tree = usable({ type: 'object', properties: { c: { items: { $ref: '#' } } }, additionalProperties: false });
    expect(tree.check('{"c":[{"c":[]}]}')).toEqual({ json: '{"c":[{"c":[]}]}' });
    expect(tree.check('{"c":[{"d":1}]}')).toHaveProperty('problems');
    const odd = { pattern: '[', enum: 'b' };
    expect(usable({ default: odd, example: odd, 'x-own': odd }).check('1')).toEqual({ json: '1' });
  });

  verifies('SURF-13', 'ends a pattern with catastrophic backtracking', fullDoseOnly, () => {
    const { check } = usable({ type: 'object', properties: { a: { pattern: '^(x+)+$' } } });
    expect(check('{"a":"xxx"}')).toEqual({ json: '{"a":"xxx"}' });
    expect(check(JSON.stringify({ a: `${'x'.repeat(60)}!` }))).toEqual({
      problems: ['it cannot be validated: matching a pattern took longer than 1 s'],
    });
  });

  verifies('SURF-13', 'rejects an answer that is nested too deeply', () => {
    const { check } = usable({ items: { $ref: '#' } });
    expect(check(`${'['.repeat(5000)}${']'.repeat(5000)}`)).toEqual({ problems: [expect.stringContaining('deep')] });
  });
});
