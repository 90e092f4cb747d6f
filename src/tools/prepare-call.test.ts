import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { verifies } from '../../test/spec/verifies.ts';
import { call, noEnvironment, runCalls } from './batch.fixture.ts';
import { createToolSet, defineTool } from './index.ts';

const parameters = z.object({
  path: z.string(),
  limit: z._default(z.int().check(z.minimum(1)), 10),
  deep: z.optional(z.boolean()),
  names: z.optional(z.array(z.string())),
  ids: z.optional(z.array(z.int())),
  where: z.optional(z.object({ line: z.int() })),
  either: z.optional(z.union([z.int(), z.boolean(), z.array(z.string())])),
  kind: z.optional(z.enum(['content', 'files'])),
});
const tool = (name: string) =>
  defineTool({
    name,
    toolset: 'test',
    description: `does ${name}`,
    parameters,
    concurrency: { mode: 'parallel' },
    readOnly: name === 'read_file',
    repeatKey: name === 'read_file' ? ({ path }) => path : undefined,
    run: async (args) => ({ ...args }),
  });
const tools = createToolSet({
  tools: ['read_file', 'write_file', 'terminal', 'todo'].map(tool),
  environment: noEnvironment,
});

const prepare = async (name: string, args: string) => (await tools.prepare([call('1', name, args)]))[0];
const argsOf = async (args: string) => {
  const prepared = await prepare('read_file', args);
  return prepared?.status === 'ready' ? prepared.args : prepared;
};

describe('tool names', () => {
  verifies('TOOLX-1', 'are corrected: case, separators, prefixes, a small typo', async () => {
    for (const name of [
      'Read_File',
      'read-file',
      'readFile',
      'read file',
      'functions.read_file',
      'read_fil',
      'raed_file',
    ]) {
      expect(await prepare(name, '{"path":"a"}'), name).toMatchObject({ status: 'ready', toolName: 'read_file' });
    }
  });

  verifies('TOOLX-1', 'that are unknown get an error with the available tools', async () => {
    for (const name of ['browse', 'tod', '', 'ead_write', 'rite_fle_x']) {
      const prepared = await prepare(name, '{}');
      expect(prepared, name).toMatchObject({ status: 'unknown_tool' });
      expect(prepared).toHaveProperty('message', expect.stringContaining('read_file, write_file, terminal, todo'));
    }
  });

  it('that are equally close to two tools are not corrected', async () => {
    const close = createToolSet({ tools: ['get_file', 'set_file'].map(tool), environment: noEnvironment });
    expect((await close.prepare([call('1', 'let_file', '{"path":"a"}')]))[0]).toMatchObject({ status: 'unknown_tool' });
  });
});

describe('arguments', () => {
  verifies('TOOLX-2', 'repairs JSON errors that can mean only one thing', async () => {
    expect(await argsOf("{path: 'a', 'deep': True,}")).toEqual({ path: 'a', deep: true, limit: 10 });
    expect(await argsOf('```json\n{"path": "a"}\n```')).toEqual({ path: 'a', limit: 10 });
    expect(await argsOf('"{\\"path\\": \\"a\\"}"')).toEqual({ path: 'a', limit: 10 });
  });

  verifies('TOOLX-2', 'never completes truncated JSON', async () => {
    const prepared = await prepare('read_file', '{"path": "/etc/pas');
    expect(prepared).toMatchObject({ status: 'unparsable', truncated: true });
    expect(await prepare('read_file', '{"path": "a" "b"}')).toMatchObject({ status: 'unparsable', truncated: false });
  });

  it('treats empty text and null as no arguments', async () => {
    for (const text of ['', '  ', 'null', '{}']) {
      expect(await prepare('read_file', text)).toMatchObject({
        status: 'invalid',
        message: expect.stringContaining('path is missing, expected string'),
      });
    }
  });

  verifies('TOOLX-2', 'coerces types to the schema, including unions', async () => {
    const text = JSON.stringify({
      path: 42,
      limit: '7',
      deep: 'true',
      names: '["a", "b"]',
      ids: '3',
      where: '{"line": "12"}',
      either: 'false',
      kind: null,
    });
    expect(await argsOf(text)).toEqual({
      path: '42',
      limit: 7,
      deep: true,
      names: ['a', 'b'],
      ids: [3],
      where: { line: 12 },
      either: false,
    });
    expect(await argsOf('{"path": "a", "names": "just one"}')).toMatchObject({ names: ['just one'] });
    expect(await argsOf('{"path": "a", "either": "5"}')).toMatchObject({ either: 5 });
    expect(await argsOf('{"path": "a", "either": ["x"]}')).toMatchObject({ either: ['x'] });
  });

  it('reports for each invalid argument its value and what is expected', async () => {
    const prepared = await prepare(
      'read_file',
      '{"limit": "many", "kind": "lines", "where": {"line": true}, "deep": 3}',
    );
    expect(prepared).toMatchObject({ status: 'invalid' });
    const message = prepared && 'message' in prepared ? prepared.message : '';
    expect(message).toContain('path is missing, expected string');
    expect(message).toContain('limit: got "many" (string), expected integer of at least 1');
    expect(message).toContain('kind: got "lines" (string), expected one of "content", "files"');
    expect(message).toContain('where.line: got true (boolean), expected integer');
    expect(message).toContain('deep: got 3 (number), expected boolean');
  });

  it('reports limits when they are exceeded, not in the schema', async () => {
    const strict = defineTool({
      name: 'ask',
      toolset: 'test',
      description: '',
      parameters: z.object({
        text: z.string().check(z.minLength(1), z.maxLength(5)),
        code: z.optional(z.string().check(z.minLength(3))),
        names: z.optional(z.array(z.string()).check(z.minLength(1), z.maxLength(2))),
        loud: z._default(z.boolean(), false),
        kind: z._default(z.enum(['short', 'long']), 'short'),
        lines: z._default(z.int(), 0),
        most: z._default(z.int(), 9),
        none: z.optional(z.object({})),
      }),
      concurrency: { mode: 'parallel' },
      run: async () => 'done',
    });
    expect((await strict.definition()).parameters).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string' },
        code: { type: 'string' },
        names: { type: 'array', items: { type: 'string' }, maxItems: 2 },
        loud: { type: 'boolean' },
        kind: { type: 'string', enum: ['short', 'long'] },
        lines: { type: 'integer' },
        most: { type: 'integer', default: 9 },
        none: { type: 'object', properties: {} },
      },
      required: ['text'],
    });
    const set = createToolSet({ tools: [strict], environment: noEnvironment });
    const faultOf = async (args: object) => {
      const [prepared] = await set.prepare([call('1', 'ask', JSON.stringify(args))]);
      return prepared && 'message' in prepared ? prepared.message : prepared?.status;
    };
    expect(await faultOf({ text: 'short' })).toBe('ready');
    expect(await faultOf({ text: '' })).toContain('text: got "" (string), expected string that is not empty.');
    expect(await faultOf({ text: [] })).toBe(
      'Invalid arguments for ask: text: got [] (array), expected string. The call was not executed.',
    );
    expect(await faultOf({ text: 'longer' })).toContain('expected string of at most 5 characters.');
    expect(await faultOf({ text: 'a', code: 'b' })).toContain('expected string of at least 3 characters.');
    expect(await faultOf({ text: 'a', names: [] })).toContain('expected array that is not empty.');
    expect(await faultOf({ text: 'a', names: ['a', 'b', 'c'] })).toContain('expected array of at most 2 items.');
  });

  it('requires an object', async () => {
    expect(await prepare('read_file', '[1]')).toMatchObject({
      status: 'invalid',
      message: expect.stringContaining('one JSON object'),
    });
    expect(await prepare('read_file', '"hello"')).toMatchObject({ status: 'invalid' });
  });

  verifies('TOOLX-7', 'leaves the call itself unchanged; only the prepared arguments are repaired', async () => {
    const came = call('1', 'Read-File', "{path: 'a', limit: '3'}");
    const copy = structuredClone(came);
    const [prepared] = await tools.prepare([came]);
    expect(prepared?.call).toBe(came);
    expect(came).toEqual(copy);
    expect(prepared).toMatchObject({ toolName: 'read_file', args: { path: 'a', limit: 3 } });
  });

  verifies('LOOP-12', 'takes the repeat key and the read-only flag from the tool', async () => {
    expect(await prepare('read_file', '{"path":"a","limit":1}')).toMatchObject({
      repeatKey: 'read_file a',
      readOnly: true,
    });
    const [one, two] = [
      await prepare('terminal', '{"path":"a","limit":"10"}'),
      await prepare('terminal', '{"path":"a"}'),
    ];
    expect(one).toMatchObject({ readOnly: false });
    expect(one).toHaveProperty('repeatKey', (two as { repeatKey: string }).repeatKey);
  });
});

describe('extreme arguments', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const cases = {
    'in a list': `{"path":"a","names":${deep}}`,
    'in objects': `{"path":"a","where":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
    'under a name that nobody knows': `{"path":"a","other":${deep}}`,
    'in a string': JSON.stringify({ path: 'a', names: deep }),
    'not even closed': `{"path":"a","names":${'['.repeat(100_000)}`,
  };
  for (const [name, args] of Object.entries(cases)) {
    verifies('TOOLX-2', `${name} get an error, and the other calls of the batch run`, async () => {
      const delivered = await runCalls(tools, [call('1', 'read_file', args), call('2', 'read_file', '{"path":"b"}')]);
      expect(delivered.map(({ outcome }) => outcome.status)).toEqual(['invalid', 'ok']);
      expect(delivered[0]?.outcome.content.length).toBeLessThan(1000);
    });
  }
});
