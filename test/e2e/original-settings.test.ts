import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useCliFixture } from '../support/cli-fixture.ts';
import { writeOriginalDatabase } from '../support/original/original-home.ts';
import { openPlainChat } from '../support/plain-chat.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();
const run = (args: readonly string[], env: Record<string, string> = {}) => runHermes(args, { home: cli.home, env });
const ask = async (env?: Record<string, string>, text = 'hi') => {
  const result = await run(['-z', text], env);
  return { ...result, request: cli.server.requests.at(-1) };
};
const textOf = (request: { messages: readonly { role: string; text: string }[] } | undefined, role: string) =>
  (request?.messages ?? []).filter((message) => message.role === role).map(({ text }) => text);

describe('settings of the original', () => {
  it('agent.system_prompt, its variable and prefill_messages_file are sent and not stored', async () => {
    await cli.configure('agent: { system_prompt: "Answer in verse." }\nprefill_messages_file: prefill.json\n');
    const prefill = [
      { role: 'user', content: 'a first example' },
      { role: 'assistant', content: 'its answer' },
    ];
    await cli.home.write('prefill.json', JSON.stringify(prefill));
    cli.server.setScript(() => ({ text: 'Hello.' }));
    const { request } = await ask();
    expect(JSON.stringify(request?.body)).toContain('Answer in verse.');
    expect(textOf(request, 'user')).toEqual(['a first example', expect.stringContaining('hi')]);
    const other = await ask({ HERMES_EPHEMERAL_SYSTEM_PROMPT: 'Be brief.' });
    expect(JSON.stringify(other.request?.body)).toContain('Be brief.');
    expect(JSON.stringify(other.request?.body)).not.toContain('Answer in verse.');
    expect((await run(['sessions', 'export', '-'])).stdout).not.toMatch(/verse|first example/);
    await cli.home.write('prefill.json', '{}');
    const invalid = await ask();
    expect(invalid.exitCode).toBe(2);
    expect(invalid.stderr).toMatch(/prefill_messages_file: \S+prefill\.json is invalid: not a JSON array/);
  });

  it('providers defines endpoints by name', async () => {
    const url = cli.server.baseUrl('chat_completions');
    await cli.home.write(
      'config.yaml',
      `model: { provider: lab, default: big }\nproviders:\n  lab: { api: "${url}", key_env: LAB_KEY, default_model: small }\n` +
        '  other: { url: "http://127.0.0.1:9/v1", transport: anthropic_messages, models: { x: { context_length: 32000 } } }\n',
    );
    cli.server.setScript(() => ({ text: 'Hello.' }));
    const { request, stderr } = await ask({ LAB_KEY: 'sk-lab-0123456789abcdef' });
    expect([request?.body['model'], stderr]).toEqual(['big', '']);
    expect(request?.headers['authorization']).toBe('Bearer sk-lab-0123456789abcdef');
    expect((await run(['config', 'check'])).stdout).toContain('is valid.');
  });

  it('platform_toolsets replaces toolsets on its surface, and unknown names are a warning', async () => {
    await cli.configure(
      'toolsets: [file]\nplatform_toolsets: { cli: [terminal, kanban, no_mcp], telegram: [web] }\nagent: { disabled_toolsets: [moa] }\n',
    );
    cli.server.setScript(() => ({ text: 'Hello.' }));
    const { request, stderr, exitCode } = await ask();
    expect([request?.toolNames.toSorted(), exitCode]).toEqual([['process', 'terminal'], 0]);
    expect(stderr).toMatch(/platform_toolsets\.cli: "kanban" is not a known tool set or tool and is ignored\./);
    expect(stderr).toMatch(/agent\.disabled_toolsets: "moa" is not a known tool set or tool and is ignored\./);
  });

  it('terminal.timeout and TERMINAL_TIMEOUT are the default of the terminal tool', async () => {
    cli.server.setScript(() => ({ text: 'Hello.' }));
    const timeout = async (more: string, env?: Record<string, string>) => {
      await cli.configure(more);
      const { request } = await ask(env);
      const [, value] = /"timeout":\{[^}]*"default":(\d+)/.exec(JSON.stringify(request?.body['tools'])) ?? [];
      return Number(value);
    };
    expect(await timeout('')).toBe(180);
    expect(await timeout('terminal: { timeout: 45 }\n', { TERMINAL_TIMEOUT: '50' })).toBe(45);
    expect(await timeout('', { TERMINAL_TIMEOUT: '50' })).toBe(50);
    expect(await timeout('terminal: { timeout: 9000 }\n')).toBe(600);
    const call = { toolCalls: [{ name: 'terminal', arguments: '{"command":"sleep 30"}' }] };
    cli.server.setScript([call, { text: 'Done.' }]);
    await cli.configure('terminal: { timeout: 1 }\n');
    expect(textOf((await ask()).request, 'tool').join()).toContain('timed out after 1 s');
  });

  it('website_blocklist stops web tools at a domain, its subdomains and a redirect to it', async () => {
    const server = createServer((_, response) => response.writeHead(302, { location: 'http://ads.example/x' }).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await cli.configure(
        'security:\n  allow_private_urls: true\n  website_blocklist: { enabled: true, domains: ["*.example"], shared_files: [block.txt] }\n',
      );
      await cli.home.write('block.txt', '# shared\nhttps://bad.test/path  # worst\n');
      const urls = ['http://sub.bad.test/', 'http://x.example/', `http://127.0.0.1:${port}/`];
      const call = { toolCalls: [{ name: 'web_extract', arguments: JSON.stringify({ urls }) }] };
      cli.server.setScript([call, { text: 'Done.' }]);
      const { request } = await ask();
      const result = textOf(request, 'tool').join();
      for (const host of ['sub.bad.test', 'x.example', 'ads.example'])
        expect(result).toContain(`${host} is on the blocklist of the user`);
    } finally {
      server.close();
    }
  });

  it('a Codex login outside the pool is listed, used and removed with its tokens', async () => {
    const login = { tokens: { access_token: 'at-0123456789abcdef', refresh_token: 'rt-0123456789abcdef' } };
    const document = { version: 1, providers: { 'openai-codex': login, nous: { kept: 1 } }, credential_pool: {} };
    await cli.home.write('auth.json', JSON.stringify(document));
    expect((await run(['auth', 'list'])).stdout).toMatch(/openai-codex\n {2}login/);
    expect((await run(['status', '--provider', 'openai-codex', '--model', 'gpt-5'])).stdout).toContain('OpenAI Codex');
    expect((await run(['auth', 'remove', 'openai-codex', 'login', '--yes'])).exitCode).toBe(0);
    expect(JSON.parse(await cli.home.read('auth.json'))).toMatchObject({
      providers: { 'openai-codex': {}, nous: { kept: 1 } },
    });
    expect(await cli.home.read('auth.json')).not.toContain('0123456789abcdef');
  });

  it('auxiliary.session_search names the model that summarises found sessions', async () => {
    await cli.configure();
    writeOriginalDatabase(join(cli.home.path, 'state.db'), { schema: 6 });
    const url = cli.server.baseUrl('chat_completions');
    await cli.home.write(
      'config.yaml',
      `model: { provider: custom, default: test-model, base_url: "${url}", api_key: sk-0123456789abcdef }\n` +
        'auxiliary:\n  title_generation: { enabled: false }\n' +
        `  session_search: { provider: custom, model: reader, base_url: "${url}", api_key: sk-0123456789abcdef }\n`,
    );
    const search = { toolCalls: [{ name: 'session_search', arguments: '{"query":"zebra"}' }] };
    let asked = 0;
    cli.server.setScript((request) => {
      if (request.body['model'] === 'reader') return { text: 'They asked about a zebra.' };
      asked += 1;
      return asked === 1 ? search : { text: 'Done.' };
    });
    const { request } = await ask();
    expect(textOf(request, 'tool').join()).toContain('Summary: They asked about a zebra.');
  });

  it('quick_commands work in the terminal', async () => {
    await cli.configure(
      'quick_commands:\n  where: { type: exec, command: "echo at-$((40+2))" }\n  w: { type: alias, target: where }\n',
    );
    const chat = await openPlainChat(cli);
    expect(await chat.say('/where', 'at-42')).toContain('at-42');
    expect(await chat.say('/w', 'at-42')).toContain('at-42');
    await chat.leave();
  });
});
