import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { ApiMode } from '../../src/contracts/index.ts';
import { type HermesOptions } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { configFor, lastLine, useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();
const hermes = (args: string[], options: Partial<HermesOptions> = {}) =>
  runHermes(args, { home: cli.home, ...options });

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, people: { type: 'integer', minimum: 0 } },
  required: ['city', 'people'],
  additionalProperties: false,
};

async function withSchema(args: string[], schema: object | string = SCHEMA) {
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema);
  await writeFile(join(cli.home.workspace, 'schema.json'), text);
  return hermes(['--output-schema', 'schema.json', ...args]);
}

/** Configures the model at this server with an API mode. */
async function configureMode(mode: ApiMode): Promise<void> {
  const config = configFor(cli.server).replace(`${cli.server.url}/v1`, cli.server.baseUrl(mode));
  const titles = 'auxiliary:\n  title_generation:\n    enabled: false\n';
  await cli.home.write('config.yaml', `${titles}${config}  api_mode: ${mode}\n`);
}

describe('--output-schema', () => {
  verifies('SURF-13', 'prints only the JSON, whatever the model put around it', async () => {
    await cli.configure();
    cli.server.setScript([
      { text: 'I look first.', toolCalls: [{ name: 'terminal', arguments: { command: 'echo 7' } }] },
      { text: 'Here it is:\n```json\n{"city": "Ulm", "people": 7}\n```\nAnything else?' },
    ]);
    const { exitCode, stdout, stderr } = await withSchema(['-q', 'which city?']);
    expect([exitCode, stdout]).toEqual([0, '{"city": "Ulm", "people": 7}\n']);
    expect(stderr).toMatch(/^Session \S+ \(hermes --resume \S+\)\n$/);
  });

  verifies('SURF-13', 'is requested in the format of each API mode, and in words in all of them', async () => {
    const strict = { name: 'answer', schema: SCHEMA, strict: true };
    const forms: [ApiMode, string, unknown][] = [
      ['chat_completions', 'response_format', { type: 'json_schema', json_schema: strict }],
      ['codex_responses', 'text', { format: { type: 'json_schema', ...strict } }],
      ['anthropic_messages', 'output_config', undefined],
      ['ollama_chat', 'format', undefined],
    ];
    for (const [mode, field, form] of forms) {
      await configureMode(mode);
      cli.server.setScript([{ text: '{"city":"Bonn","people":1}' }]);
      const { exitCode, stdout } = await withSchema(['-z', 'which?']);
      expect([mode, exitCode, stdout]).toEqual([mode, 0, '{"city":"Bonn","people":1}\n']);
      const request = cli.server.requests.at(-1);
      expect([mode, request?.body[field]]).toEqual([mode, form]);
      expect(request?.lastUserText).toContain(JSON.stringify(SCHEMA));
    }
  });

  verifies('SURF-13', 'is requested without strict mode if the provider cannot enforce it exactly', async () => {
    await cli.configure();
    cli.server.setScript(() => ({ text: '{"a":"b"}' }));
    await withSchema(['-z', 'x'], { type: 'object', properties: { a: { type: 'string', minLength: 1 } } });
    expect(cli.server.requests.at(-1)?.body['response_format']).toMatchObject({ json_schema: { strict: false } });
    cli.server.setScript(() => ({ text: '[1]' }));
    expect((await withSchema(['-z', 'x'], { type: 'array', items: { type: 'integer' } })).stdout).toBe('[1]\n');
    expect(cli.server.requests.at(-1)?.body['response_format']).toBeUndefined();
  });

  verifies('SURF-13', 'is requested in words alone from a server that rejects the parameter', async () => {
    await cli.configure();
    cli.server.setScript((request) =>
      'response_format' in request.body
        ? { fault: { type: 'status', status: 400, message: 'Cannot use grammar constraints with tools.' } }
        : { text: '{"city":"Trier","people":2}' },
    );
    const { exitCode, stdout } = await withSchema(['-z', 'which?']);
    expect([exitCode, stdout]).toEqual([0, '{"city":"Trier","people":2}\n']);
    expect(cli.server.requests).toHaveLength(2);
  });

  verifies('SURF-13', 'requests an invalid answer once more, with the validation errors', async () => {
    await cli.configure();
    cli.server.setScript([{ text: '{"city":"Köln","people":-1}' }, { text: '{"city":"Köln","people":1}' }]);
    const { exitCode, stdout } = await withSchema(['--json', '-q', 'which?']);
    expect(exitCode).toBe(0);
    expect(lastLine(stdout)).toMatchObject({
      exit_reason: 'completed',
      final_response: '{"city":"Köln","people":1}',
      api_calls: 2,
    });
    expect(cli.server.requests[1]?.lastUserText).toMatch(/at \/people: /);
    // The second request extends the first one, so that the provider's cache is used.
    const [first, second] = cli.server.requests.map(({ messages }) => JSON.stringify(messages).slice(0, -1));
    expect(second?.startsWith(first ?? '-')).toBe(true);
  });

  verifies(['SURF-13', 'BOUND-2'], 'then fails with exit code 1, prints nothing and stores the text', async () => {
    await cli.configure();
    cli.server.setScript(() => ({ text: 'I would rather not.' }));
    const { exitCode, stdout, stderr } = await withSchema(['-q', 'which?']);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(cli.server.requests).toHaveLength(2);
    const session = /hermes sessions show (\S+)/.exec(stderr)?.[1] ?? '';
    expect(stderr).toContain('does not match the schema: the answer contains no JSON.');
    expect((await hermes(['sessions', 'show', session])).stdout).toContain('I would rather not.');
    const { stdout: lines } = await withSchema(['--json', '-q', 'which?']);
    expect(lastLine(lines)).toMatchObject({
      exit_reason: 'failed',
      exit_code: 1,
      failed: true,
      final_response: 'I would rather not.',
    });
  });

  verifies(['SURF-13', 'BOUND-2'], 'an invalid schema exits with code 2', async () => {
    await cli.configure();
    const wrong: [string | object, RegExp][] = [
      ['{"type":', /schema\.json is not a usable JSON Schema/],
      ['[]', /it is not an object/],
      [
        { type: 'object', properties: { a: { type: 'strin' } } },
        /"strin" at \/properties\/a\/type is not a valid type/,
      ],
      [{ $ref: '#/$defs/missing' }, /is not a usable JSON Schema/],
      [{ pattern: '(' }, /is not a usable JSON Schema/],
    ];
    for (const [schema, said] of wrong) {
      const { exitCode, stdout, stderr } = await withSchema(['-q', 'x'], schema);
      expect([schema, exitCode, stdout]).toEqual([schema, 2, '']);
      expect(stderr).toMatch(said);
    }
    expect(cli.server.requests).toEqual([]);
  });
});
