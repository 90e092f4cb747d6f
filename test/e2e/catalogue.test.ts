import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { jsonLines, lastLine, useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const hermes = (...args: string[]) => runHermes(args, { home: cli.home, input: '' });

/** One dollar per thousand tokens. */
const PRICED = 'model_overrides:\n  test-model:\n    price: { input: 1000, output: 1000 }\n';
const used = (input: number) => ({ input, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 });
const step = (input: number) => ({ toolCalls: [{ name: 'todo', arguments: {} }], usage: used(input) });

describe('the cost of a session', () => {
  verifies(['LOOP-13', 'CALL-11'], 'is limited in dollars: warns at 80 % and stops at 100 %', async () => {
    await cli.configure(`${PRICED}limits:\n  session_usd: 1\n`);
    cli.server.setScript([step(850), step(200), { text: 'never asked for' }]);
    const file = join(cli.home.workspace, 'usage.json');
    const { exitCode, stdout } = await hermes('--json', '--usage-file', file, '-q', 'go');
    const lines = jsonLines(stdout);
    expect(lines.filter(({ type }) => type === 'warning')).toEqual([
      expect.objectContaining({ message: '80 % of the limit limits.session_usd (1 USD) is used.' }),
    ]);
    expect(lastLine(stdout)).toMatchObject({ exit_reason: 'limit_reached' });
    expect(exitCode).toBe(4);
    expect(cli.server.requests).toHaveLength(2);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      estimated_cost_usd: 1.05,
      cost_status: 'estimated',
      api_calls: 2,
    });
  });

  verifies(['LOOP-13', 'CALL-11'], 'is limited per day across processes', async () => {
    await cli.configure(`${PRICED}limits:\n  day_usd: 1\n`);
    cli.server.setScript([{ text: 'one', usage: used(999) }, { text: 'two', usage: used(1) }, { text: 'three' }]);
    expect((await hermes('-q', 'one')).exitCode).toBe(0);
    expect((await hermes('-q', 'two')).stderr).toContain('80 % of the limit limits.day_usd');
    expect((await hermes('-q', 'three')).exitCode).toBe(4);
    expect(cli.server.requests).toHaveLength(2);
    const { stdout } = await hermes('insights', '--json');
    expect((JSON.parse(stdout) as { usd: number }).usd).toBeCloseTo(1);
  });

  verifies('CALL-11', 'is unknown without a price', async () => {
    await cli.configure();
    cli.server.setScript([{ text: 'hi', usage: used(1_000_000) }]);
    const { stdout } = await hermes('--json', '-q', 'go');
    expect(lastLine(stdout)).toMatchObject({ cost: { usd: 0, status: 'unknown' } });
  });
});

describe('the catalogue in a terminal', () => {
  const openTerminal = async (url: string) => {
    await cli.home.write('config.yaml', `model:\n  provider: deepseek\nmodels_dev:\n  url: ${url}\n`);
    await cli.home.write('.env', 'DEEPSEEK_API_KEY=test-key\n');
    return startTerminal(cli.home, []);
  };

  it('is refreshed in the background without a key, and leaving does not wait for it', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const asked = once(server, 'request') as Promise<[IncomingMessage]>;
    const chat = await openTerminal(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api.json`);
    await chat.see('❯ ');
    const [request] = await asked;
    expect(request.url).toBe('/api.json');
    expect(request.headers.authorization).toBeUndefined();
    // The chat can exit although the request is never answered.
    chat.type('/quit\r');
    expect(await chat.exited).toBe(0);
    server.close().closeAllConnections();
  });
});
