import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();
const hermes = (args: string[], env: Record<string, string> = {}) => runHermes(args, { home: cli.home, env });
const SECRET = 'sk-a-secret-of-some-length-WXYZ';

describe('hermes status', () => {
  verifies('PROV-2', 'shows the settings in use and the location of each', async () => {
    await cli.home.write('config.yaml', 'model:\n  provider: glm\n  default: m\n');
    await cli.home.write('.env', `ZAI_API_KEY=${SECRET}\n`);
    const config = join(cli.home.path, 'config.yaml');
    const { exitCode, stdout } = await hermes(['status', '--json'], { OPENAI_BASE_URL: 'http://stale.example/v1' });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      usable: true,
      primary: {
        origin: 'config',
        provider: 'zai',
        name: 'Z.AI',
        model: 'm',
        api_mode: 'chat_completions',
        base_url: 'https://api.z.ai/api/paas/v4',
        places: {
          provider: `${config}, line 2: model.provider`,
          model: `${config}, line 3: model.default`,
          base_url: 'the built-in base URL of Z.AI',
        },
        key: { place: `ZAI_API_KEY in ${join(cli.home.path, '.env')}`, ending: 'WXYZ' },
      },
      fallbacks: [],
      home: { path: cli.home.path, exists: true },
      config_file: { path: config, exists: true },
      store: { path: join(cli.home.path, 'state.db'), exists: false },
    });
    // The command is read-only and creates no store.
    expect(existsSync(join(cli.home.path, 'state.db'))).toBe(false);
  });

  it('prints the same as text, and never the key', async () => {
    await cli.home.write(
      'config.yaml',
      `model: { provider: custom, default: m, base_url: ${cli.server.url}/v1/messages, api_key: ${SECRET} }\n` +
        'fallback_providers:\n  - { provider: nous, model: f1 }\n  - { provider: ollama, model: f2 }\n',
    );
    const { exitCode, stdout } = await hermes(['status']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/provider +Custom endpoint \(custom\) .*config\.yaml, line 1: model\.provider/);
    expect(stdout).toMatch(/API mode +anthropic_messages/);
    expect(stdout).toMatch(/key +…WXYZ {2}\(.*line 1: model\.api_key\)/);
    expect(stdout).toMatch(
      /fallback 1 +✗ nous\/f1: No login was found for Nous Portal\. Sign in with `hermes auth add nous --login`/,
    );
    expect(stdout).toMatch(/fallback 2 +✓ ollama\/f2 at http:\/\/127\.0\.0\.1:11434\/v1/);
    expect(stdout).toMatch(/! The base URL from .* ends with \/messages, which was ignored/);
    expect(stdout).not.toContain(SECRET.slice(0, 12));
  });

  it('exits with 1 if no model is usable, and says why', async () => {
    expect(await hermes(['status'])).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('hermes setup') });
    const { exitCode, stdout } = await hermes(['status', '--provider', 'opnrouter']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/problem +--provider: "opnrouter" is not a known provider\. Did you mean openrouter/);
  });

  verifies('BOUND-3', 'makes no requests unless asked to', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"id":"one"},{"id":"two"}]}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    const { port } = server.address() as AddressInfo;
    const model = `provider: custom, default: m, base_url: "http://127.0.0.1:${port}/v1", api_key: ${SECRET}`;
    await cli.home.write('config.yaml', `model: { ${model} }\n`);
    await hermes(['status']);
    expect(connections).toBe(0);
    expect((await hermes(['status', '--deep'])).stdout).toMatch(/models +custom lists 2 models/);
    expect(asked).toEqual([`Bearer ${SECRET}`]);
    server.close().closeAllConnections();
    const gone = await hermes(['status', '--deep']);
    expect(gone).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('did not return a list of models') });
  });
});

describe('--verbose', () => {
  verifies('PROV-1', 'prints the route in use and the reason in one line, separate from the answer', async () => {
    await cli.configure();
    const { exitCode, stdout, stderr } = await hermes(['--verbose', '-z', 'hi']);
    expect([exitCode, stdout]).toEqual([0, 'ok\n']);
    const at = `${cli.server.url}/v1`.replaceAll('.', '\\.');
    expect(stderr).toMatch(
      new RegExp(
        `^hermes: Custom endpoint \\(custom\\), test-model, at ${at} \\(chat_completions\\), ` +
          'selected by .*config\\.yaml, line \\d+: model\\.provider; API key from .*line \\d+: model\\.api_key$',
        'm',
      ),
    );
    expect(stderr).not.toContain('test-key');
    expect((await hermes(['-z', 'hi'])).stderr).toBe('');
    expect((await hermes(['--verbose', '--quiet', '-z', 'hi'])).stderr).toBe('');
  });
});
