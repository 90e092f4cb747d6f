import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { redactSecrets } from '../util/index.ts';
import { loadSettings } from './index.ts';
import { checkFile, findValue, listValues } from './keys/index.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'hermes-request-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function load(config: string, env: Record<string, string> = {}, dotEnv = '') {
  await writeFile(join(home, 'config.yaml'), config);
  await writeFile(join(home, '.env'), dotEnv);
  return loadSettings({ home, env });
}

const PORTKEY = `
model:
  provider: custom
  default: m
  base_url: https://api.portkey.ai/v1
  headers:
    X-Portkey-Api-Key: \${PORTKEY_API_KEY}
    x-portkey-provider: anthropic
  query: { api-version: 2026-01-01, debug: true, n: 3 }
  extra_body: { metadata: { user: "\${TEAM}" }, temperature: 0.2 }
`;

describe('headers, query and extra_body', () => {
  it('are read with variables of the environment and of .env', async () => {
    const { model, warnings } = await load(PORTKEY, { TEAM: 'platform-team-7' }, 'PORTKEY_API_KEY=pk-from-env-file\n');
    expect(warnings).toEqual([]);
    expect(model.request).toMatchObject({
      headers: { 'x-portkey-api-key': 'pk-from-env-file', 'x-portkey-provider': 'anthropic' },
      query: { 'api-version': '2026-01-01', debug: 'true', n: '3' },
      extraBody: { metadata: { user: 'platform-team-7' }, temperature: 0.2 },
    });
    expect(model.request?.problem).toBeUndefined();
  });

  it('name the variable that is missing', async () => {
    const { model } = await load(PORTKEY, { TEAM: 't' });
    expect(model.request?.problem).toMatch(
      /config\.yaml, line 7: model\.headers\.X-Portkey-Api-Key uses the variable PORTKEY_API_KEY, which is not set\.$/,
    );
  });

  verifies('PROV-4', 'values of headers are known secrets, but ordinary words are not', async () => {
    await load(
      `model: { provider: custom, default: m, base_url: "http://127.0.0.1:9/v1", headers: { helicone-auth: Bearer hlc-Zq81mmP0, x-portkey-provider: anthropic, x-team: "\${TEAM_HEADER}" } }`,
      { TEAM_HEADER: 'rather-unusual-team-value' },
    );
    expect(redactSecrets('sent hlc-Zq81mmP0 and rather-unusual-team-value to anthropic')).not.toMatch(
      /Zq81mmP0|unusual-team/,
    );
    expect(redactSecrets('a model of anthropic')).toBe('a model of anthropic');
  });

  verifies('PROV-4', '`config show` masks every header, also in JSON, and keeps references to variables', () => {
    const config =
      'model:\n  headers: { x-team: blue-and-secret, authorization: "Bearer ${KEY}", x: "${KEY}" }\n' +
      'custom_providers:\n  - { name: a, base_url: "http://h/v1", headers: { x-tenant: another-secret-team } }\n';
    const shown = JSON.stringify(listValues('config.yaml', config));
    expect(shown).not.toMatch(/blue-and-secret|another-secret-team/);
    expect(shown).toContain('Bearer ${KEY}');
    expect(JSON.stringify(findValue('config.yaml', config, ['model']))).not.toContain('blue-and-secret');
    expect(JSON.stringify(findValue('config.yaml', config, ['model', 'headers']))).not.toContain('blue-and-secret');
    expect(findValue('config.yaml', config, ['model', 'headers', 'x-team'], { reveal: true })?.value).toBe(
      'blue-and-secret',
    );
  });

  it('cannot replace what Hermes writes itself, and say so', async () => {
    const { model, warnings } = await load(
      'model:\n  provider: openai\n  headers: { Host: evil.example, Content-Length: "3", x-ok: y }\n' +
        '  extra_body: { messages: [], model: other, stream: false, tools: [], input: x, system: y, top_k: 3 }\n',
    );
    expect(model.request).toMatchObject({ headers: { 'x-ok': 'y' }, extraBody: { top_k: 3 } });
    expect(Object.keys(model.request?.extraBody ?? {})).toEqual(['top_k']);
    expect(Object.keys(model.request?.headers ?? {})).toEqual(['x-ok']);
    const refused = ['Host', 'Content-Length', 'messages', 'model', 'stream', 'tools', 'input', 'system'];
    for (const name of refused)
      expect(warnings).toContainEqual(expect.stringMatching(new RegExp(`(?:headers|extra_body)\\.${name} is ignored`)));
  });

  it('need a provider or an address next to them', async () => {
    const { model, warnings, auxiliary } = await load(
      'model:\n  default: m\n  headers: { x: y }\nauxiliary:\n  vision: { model: v, extra_body: { a: 1 } }\n',
    );
    expect([model.request, auxiliary.vision?.choice.request]).toEqual([undefined, undefined]);
    expect(warnings).toEqual([
      expect.stringContaining('model.headers is ignored, because it needs a provider or a base_url next to it'),
      expect.stringContaining('auxiliary.vision.extra_body is ignored'),
    ]);
  });

  it('are not used elsewhere if the variable of the address is missing', async () => {
    const { model } = await load('model: { provider: openai, base_url: "${GATEWAY}", headers: { x: y } }');
    expect(model.request).toBeUndefined();
  });

  it('report a name or a value that no header can have', async () => {
    for (const headers of ['{ "a b": c }', '{ x: "a\\r\\nevil: 1" }', '{ x: "é" }']) {
      const { model } = await load(`model: { provider: openai, headers: ${headers} }`);
      expect(model.request?.problem).toMatch(/is not a valid header name|invalid characters/);
    }
  });

  it('are read without an exception, with any content', async () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('${A}', '${B}', 'messages', '__proto__', 'constructor', 'host'));
    const entry = fc.record(
      {
        headers: fc.dictionary(text, text),
        query: fc.dictionary(text, text),
        extra_body: fc.dictionary(text, fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    const { readRequestOptions } = await import('./request-options.ts');
    fc.assert(
      fc.property(entry, (written) => {
        const warnings: string[] = [];
        const context = { variables: { A: 'value-of-a-123' }, location: () => 'config.yaml', warnings };
        const read = readRequestOptions(context, written, ['model']);
        for (const field of ['messages', 'model', 'stream', 'tools', 'input'])
          expect(Object.keys(read?.extraBody ?? {})).not.toContain(field);
        for (const name of Object.keys(read?.headers ?? {})) expect(name).toBe(name.toLowerCase());
        const values = Object.values({ ...read?.headers, ...read?.query });
        expect(values.filter((value) => value.includes('${B}'))).toEqual([]);
      }),
    );
  });
});

describe('unknown keys', () => {
  it('below `model` and `providers` are reported at the start, with the nearest known key', async () => {
    const config =
      'model:\n  provider: openai\n  defualt: gpt-5\n  header: { x: y }\nproviders:\n  anthropic: { headerz: { x: y } }\n';
    const { warnings } = await load(config);
    expect(warnings).toEqual([
      expect.stringMatching(
        /config\.yaml, line 3: model\.defualt is not a known key and is ignored\. Did you mean model\.default\?$/,
      ),
      expect.stringMatching(/line 4: model\.header is not a known key .* Did you mean model\.headers\?$/),
      expect.stringMatching(
        /line 6: providers\.anthropic\.headerz is not a known key .* Did you mean providers\.anthropic\.headers\?$/,
      ),
    ]);
    expect(checkFile('config.yaml', config).map(({ key }) => key)).toEqual([
      'model.defualt',
      'model.header',
      'providers.anthropic.headerz',
    ]);
  });

  it('are none of those that the schema has', async () => {
    const { model } = await load(
      'model: { provider: openai, model: m, base_url: "https://h/v1", api_key: k, api_mode: chat_completions, context_length: 9, headers: { a: b }, query: { a: b }, extra_body: { a: b } }\n' +
        'providers: { vertex: { headers: { a: b }, query: { a: b }, extra_body: { a: b }, profile: p, region: r, project: p, resource: r } }\n',
    );
    expect(model.request?.headers).toEqual({ a: 'b' });
    expect((await load('model: gpt-5\n')).warnings).toEqual([]);
  });
});
