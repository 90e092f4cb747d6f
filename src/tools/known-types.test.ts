import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { JsonObject, JsonValue } from '../base/index.ts';
import { call, noEnvironment, runCalls } from './batch.fixture.ts';
import { createSchemaTool, createToolSet, removeUnknownTypes } from './index.ts';

describe('an unknown type in a schema', () => {
  verifies('BOUND-2', 'accepts any value, is hidden from the model, and is logged once', async () => {
    const warnings: unknown[] = [];
    const logger = { debug() {}, info() {}, warn: (...said: unknown[]) => warnings.push(said), error() {} };
    const tool = createSchemaTool({
      name: 'send',
      toolset: 'test',
      description: 'Sends.',
      concurrency: { mode: 'parallel' },
      parameters: {
        type: 'object',
        required: ['what'],
        properties: { what: { type: 'file', description: 'a file' }, times: { type: ['integer', 'int64'] } },
      },
      run: async (args) => JSON.stringify(args),
    });
    const tools = createToolSet({ tools: [tool], environment: noEnvironment, logger });
    const [definition] = await tools.definitions();
    expect(definition?.parameters['properties']).toEqual({ what: { description: 'a file' }, times: {} });
    const calls: JsonObject[] = [{ what: 'a.txt' }, { what: { path: 'a.txt' }, times: 3 }, { what: [1], times: '3' }];
    for (const given of calls) {
      const [{ outcome } = expect.unreachable('no result')] = await runCalls(tools, [call('1', 'send', given)]);
      expect(outcome).toMatchObject({ status: 'ok', content: JSON.stringify(given) });
    }
    expect((await runCalls(tools, [call('1', 'send', {})]))[0]?.outcome.content).toContain('what is missing');
    const unknown = ['"file" at /properties/what/type', '["integer","int64"] at /properties/times/type'];
    expect(warnings).toEqual([[expect.stringContaining('unknown types'), { tool: 'send', unknown }]]);
  });

  it('is found wherever a schema may occur, and nowhere else', () => {
    const bad = { type: 'text' };
    const good = { type: 'string', enum: ['type'] };
    const schema = {
      type: ['object', 'null'],
      anyOf: [bad, good],
      not: bad,
      additionalProperties: bad,
      default: bad,
      properties: { type: bad, items: { type: 'array', items: [good, bad] } },
      $defs: { a: { oneOf: [bad] } },
      contains: bad,
      propertyNames: bad,
      dependentSchemas: { a: bad },
    };
    const cleaned = removeUnknownTypes(schema);
    expect(cleaned.unknown.map((said) => said.replace('"text" at ', ''))).toEqual([
      '/anyOf/0/type',
      '/not/type',
      '/additionalProperties/type',
      '/properties/type/type',
      '/properties/items/items/1/type',
      '/$defs/a/oneOf/0/type',
      '/contains/type',
      '/propertyNames/type',
      '/dependentSchemas/a/type',
    ]);
    expect(cleaned.schema['default']).toEqual(bad);
    expect(cleaned.schema['properties']).toEqual({ type: {}, items: { type: 'array', items: [good, {}] } });
  });

  it('is the only thing removed; a schema without one is returned as is', () => {
    const key = fc.constantFrom('type', 'items', 'properties', 'anyOf', 'not', 'a');
    const name = fc.constantFrom('string', 'object', 'text', 'null');
    const { schema } = fc.letrec<{ schema: JsonObject; value: JsonValue }>((tie) => ({
      schema: fc.dictionary(key, tie('value'), { maxKeys: 3 }),
      value: fc.oneof({ maxDepth: 3 }, name, tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
    }));
    fc.assert(
      fc.property(schema, (given) => {
        const before = JSON.stringify(given);
        const { schema: kept, unknown } = removeUnknownTypes(given);
        expect(JSON.stringify(given)).toBe(before);
        expect(kept === given).toBe(unknown.length === 0);
        expect(removeUnknownTypes(kept).unknown).toEqual([]);
      }),
    );
  });
});
