import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { loadSettings } from './index.ts';
import { checkFile, findKey, readKeyText } from './keys/index.ts';
import { labelServers } from './mcp-settings.ts';

async function load(content: string) {
  const home = await mkdtemp(join(tmpdir(), 'hermes-mcp-settings-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await writeFile(join(home, 'config.yaml'), content);
  return loadSettings({ home, env: { TOKEN: 'secret' } });
}

const serversOf = async (content: string) => (await load(content)).mcpServers;

describe('mcp_servers', () => {
  it('has defaults for everything that is not set', async () => {
    expect(await serversOf('mcp_servers:\n  a:\n    command: npx\n')).toEqual({
      a: {
        label: 'a',
        command: 'npx',
        args: [],
        env: {},
        headers: {},
        enabled: true,
        timeoutSeconds: 300,
        connectTimeoutSeconds: 60,
        keepaliveSeconds: 180,
        parallel: false,
        exclude: [],
        resources: true,
        prompts: true,
        elicitation: true,
      },
    });
    expect(await serversOf('mcp_servers: {}\n')).toBeUndefined();
    expect(await serversOf('')).toBeUndefined();
  });

  it('reports servers without a command or URL, with their line', async () => {
    const { warnings, home } = await load(`mcp_servers:
  near: { command: x }
  far: { url: "https://h/mcp" }
  later: { enabled: false }
  half: { args: [x] }
  bare: {}
`);
    const file = join(home, 'config.yaml');
    expect(warnings).toEqual([
      `${file}, line 5: mcp_servers.half is ignored, because it needs command or url.`,
      `${file}, line 6: mcp_servers.bare is ignored, because it needs command or url.`,
    ]);
  });

  it('accepts the YAML 1.1 words for true and false', async () => {
    const servers = await serversOf(
      'mcp_servers:\n  a: { command: x, enabled: off, elicitation: no, sampling: on, tools: { prompts: off } }\n',
    );
    expect(servers?.['a']).toMatchObject({ enabled: false, elicitation: false, prompts: false });
    expect(servers?.['a']?.sampling).toMatchObject({ perMinute: 10 });
  });

  it('reads all keys, and leaves variables to be replaced on connecting', async () => {
    const servers = await serversOf(`mcp_servers:
  far:
    url: https://\${HOST}/mcp
    headers: { Authorization: "Bearer \${TOKEN}", X-Id: 7 }
    transport: streamable_http
    oauth: { client_id: me, scope: read }
    tools: { include: [a*], exclude: [ab], resources: false, prompts: false }
    sampling: true
    elicitation: false
    trust: untrusted
    timeout: 1.5
    supports_parallel_tool_calls: true
  near: { command: x, args: [--port, 80], env: { N: 1 }, cwd: /w, auth: none, oauth: {}, sampling: { max_rpm: 2 } }
`);
    expect(servers?.['far']).toMatchObject({
      url: 'https://${HOST}/mcp',
      headers: { Authorization: 'Bearer ${TOKEN}', 'X-Id': '7' },
      transport: 'http',
      login: { clientId: 'me', scope: 'read' },
      include: ['a*'],
      exclude: ['ab'],
      resources: false,
      sampling: { maxTokens: 4096, perMinute: 10, timeoutSeconds: 30 },
      elicitation: false,
      trust: 'untrusted',
      timeoutSeconds: 1.5,
      parallel: true,
    });
    // Limits alone do not enable sampling.
    expect(servers?.['near']).toMatchObject({
      args: ['--port', '80'],
      env: { N: '1' },
      directory: '/w',
      login: undefined,
      sampling: undefined,
    });
  });

  it.each([
    ['a: 7', /mcp_servers\.a must be a mapping with command or url/],
    ['a: { url: nowhere }', /mcp_servers\.a\.url must be /],
    ['a: { command: x, timeout: 0 }', /mcp_servers\.a\.timeout must be a number of seconds above 0/],
    ['a: { command: x, keepalive_interval: 1 }', /keepalive_interval must be a number of seconds, at least 5/],
    ['a: { command: x, trust: some }', /trust must be full or untrusted, not `some`/],
    ['a: { command: x, args: text }', /args must be a list of strings/],
    ['a: { command: x, sampling: 3 }', /sampling must be true, false, or a mapping/],
  ])('%s is rejected with its location', async (entry, message) => {
    await expect(serversOf(`mcp_servers:\n  ${entry}\n`)).rejects.toThrow(message);
  });

  it('is known to `hermes config`', () => {
    expect(findKey(readKeyText('mcp_servers.files.tools.exclude'))?.kind).toBe('list');
    const [finding] = checkFile('config.yaml', 'mcp_servers:\n  a:\n    comand: x\n');
    expect(finding).toMatchObject({
      kind: 'unknown',
      key: 'mcp_servers.a.comand',
      hint: expect.stringContaining('command'),
    });
  });
});

it('keeps a name that providers accept and that cannot be confused with another', () => {
  const names = ['files', 'my-server', 'with_underscore', 'a b.c', 'x__y'];
  expect([...labelServers(names).values()]).toEqual(['files', 'my-server', 'with_underscore', 'a_b_c', 'x__y']);
});

verifies('SURF-8', 'no two servers can have a tool of the same name, whatever their names are', () => {
  expect([...labelServers(['my.server', 'my_server', 'a', 'a__b', 'a_', 'my_server_2']).values()]).toEqual([
    'my_server',
    'my_server_2',
    'a',
    'a_b_2',
    'a_2',
    'my_server_2_2',
  ]);
  const word = fc.string({ unit: fc.constantFrom('a', '_', '.', '2'), maxLength: 6 });
  const words = fc.uniqueArray(word, { maxLength: 8 });
  fc.assert(
    fc.property(words, words, (servers, tools) => {
      const labels = [...labelServers(servers).values()];
      const plain = [...new Set(tools.map((tool) => tool.replaceAll('.', '_') || '_'))];
      const names = labels.flatMap((label) => plain.map((tool) => `${label}__${tool}`));
      expect(new Set(names).size).toBe(names.length);
      for (const label of labels) expect(label).toMatch(/^[A-Za-z0-9_-]+$/);
    }),
  );
});
