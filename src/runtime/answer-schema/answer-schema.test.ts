import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject, JsonValue } from '../../base/index.ts';
import { type AnswerSchema, createAnswerSchema } from './index.ts';

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
  verifies('SURF-13', 'finds what makes a schema useless wherever it stands, before an answer is paid for', () => {
    const wrong: [JsonValue, string][] = [
      [false, 'it is no object'],
      [{ properties: { a: { $ref: '#/nowhere' } } }, 'Unresolved $ref "#/nowhere"'],
      [{ $defs: { a: { anyOf: [{ items: { $ref: 'http://127.0.0.1/x' } }] } } }, 'Unresolved $ref'],
      [{ properties: { a: { items: [{ pattern: '[' }] } } }, 'Invalid regular expression'],
      [{ properties: { a: { $ref: '#/properties/a' } } }, 'in a circle'],
      [{ properties: { a: { enum: 'b' } } }, 'not a function'],
      [{ $id: 'http://a', properties: { a: { $id: 'http://a' } } }, 'Duplicate schema URI'],
      [{ contains: { type: 'file' } }, '"file" at /contains/type is no type'],
      [nested(20_000), 'too deep'],
    ];
    for (const [schema, fault] of wrong) {
      expect(createAnswerSchema(schema)).toEqual({ fault: expect.stringContaining(fault) });
    }
  });

  it('says of a reference what the schema says, and no more', () => {
    const made = createAnswerSchema({ properties: { a: { $ref: '#/nowhere' } } });
    expect(made).toEqual({ fault: 'Unresolved $ref "#/nowhere"' });
  });

  it('takes schemas that go on in themselves, and looks at nothing that is no schema', () => {
    const tree = usable({ type: 'object', properties: { c: { items: { $ref: '#' } } }, additionalProperties: false });
    expect(tree.check('{"c":[{"c":[]}]}')).toEqual({ json: '{"c":[{"c":[]}]}' });
    expect(tree.check('{"c":[{"d":1}]}')).toHaveProperty('problems');
    const odd = { pattern: '[', enum: 'b' };
    expect(usable({ default: odd, example: odd, 'x-own': odd }).check('1')).toEqual({ json: '1' });
  });

  verifies('SURF-13', 'refuses an answer that is too deep to be checked like any other', () => {
    const { check } = usable({ items: { $ref: '#' } });
    expect(check(`${'['.repeat(5000)}${']'.repeat(5000)}`)).toEqual({ problems: [expect.stringContaining('deep')] });
  });
});
