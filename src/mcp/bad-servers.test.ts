import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createFakeClock } from '../testing/index.ts';
import { MAX_MESSAGE_SIZE } from './message-limit.ts';
import {
  callTool,
  createTemporaryFolder,
  openTestServer,
  recordingLogger,
  findProcessesWith,
  settingsFor,
  testServer,
  pollUntil,
} from '../../test/support/mcp-servers.ts';
import { fullDoseOnly } from '../../test/support/dose.ts';

const starts = async (file: string) => (await readFile(file, 'utf8').catch(() => '')).match(/^start/gm)?.length ?? 0;

describe('a server that', () => {
  verifies('SURF-8', 'exits is reported with its last stderr line, and the next call reconnects', async () => {
    const server = await openTestServer(testServer('--chatty'));
    await server.connect();
    await expect(callTool(server, 'die')).rejects.toThrow(
      'it exited with code 3. Last stderr line: "fatal: the disk is on fire". The call may or may not have taken effect',
    );
    expect(await callTool(server, 'echo', { value: 'again' })).toEqual({
      text: 'echo again',
      images: [],
      isError: false,
    });
  });

  verifies(
    'SURF-8',
    'cannot be started or exits immediately is reported with the reason, and calls fail fast for a while',
    async () => {
      const folder = await createTemporaryFolder();
      const record = join(folder, 'record');
      const server = await openTestServer(testServer('--crash', `--record=${record}`));
      for (let attempt = 0; attempt < 5; attempt += 1)
        await expect(server.connect()).rejects.toThrow(
          'it exited with code 3. Last stderr line: "fatal: the disk is on fire".',
        );
      await expect(server.connect()).rejects.toThrow('the next attempt is in a minute');
      expect(await starts(record)).toBe(4);
      const nowhere = await openTestServer({ ...testServer(), cwd: '~/nowhere' }, { variables: { HOME: folder } });
      await expect(nowhere.connect()).rejects.toThrow(`the folder ${folder}/nowhere does not exist.`);
      const missing = await openTestServer({ command: 'no-such-program-anywhere' });
      await expect(missing.connect()).rejects.toMatchObject({
        message: 'Could not start it: the program no-such-program-anywhere was not found.',
        hint: expect.stringContaining('mcp_servers.it.command'),
      });
    },
  );

  verifies(['SURF-8', 'OBS-4'], 'quotes its secrets in an error message has them redacted', async () => {
    const [fromVariable, written] = ['correct horse battery', 'plain-words-here'];
    const variables = { PATH: process.env['PATH'], SHOP_TOKEN: fromVariable };
    const complaint =
      'process.stderr.write(`no ${process.argv.slice(1)} ${process.env.A_KEY} ${process.env.LEVEL}\\n`)';
    const args = ['-e', `${complaint};process.exit(1)`, '${SHOP_TOKEN}'];
    const env = { A_KEY: written, LEVEL: 'verbose' };
    const { lines, logger } = recordingLogger();
    const server = await openTestServer({ command: process.execPath, args, env }, { variables, logger });
    await expect(server.connect()).rejects.toThrow('Last stderr line: "no *** *** verbose".');
    const site = createHttpServer((request, response) => {
      response
        .writeHead(500)
        .end(`not with ${String(request.headers['x-key'])} and ${String(request.headers.authorization)}`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void site.close());
    const headers = { authorization: 'Bearer ${SHOP_TOKEN}', 'x-key': written };
    const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/mcp`;
    const far = await openTestServer({ url, headers }, { variables, logger });
    await expect(far.connect()).rejects.toThrow('HTTP 500');
    expect([...lines, far.report().failure?.message].join('\n')).not.toMatch(/correct|battery|plain-words/);
  });

  verifies(
    'SURF-8',
    'never answers times out while connecting and in a call, and is disconnected if it ignores pings',
    async () => {
      const mute = await openTestServer({ ...testServer('--mute'), connect_timeout: 0.3 });
      await expect(mute.connect()).rejects.toThrow('it did not connect within 0.3 s.');
      const server = await openTestServer({ ...testServer(), timeout: 0.2 });
      await server.connect();
      await expect(callTool(server, 'hang')).rejects.toThrow('timed out after 0.2 s');
      // The server still answers pings, so the connection is kept.
      expect(server.report().state).toBe('ready');
      const stop = new AbortController();
      const hanging = callTool(server, 'hang', {}, { signal: stop.signal });
      stop.abort(new Error('the user stopped it'));
      await expect(hanging).rejects.toThrow('the user stopped it');
      await expect(callTool(server, 'deaf')).rejects.toThrow('timed out after 0.2 s');
      expect(server.report()).toMatchObject({
        failure: { message: 'it no longer responds; the connection was closed.' },
      });
      expect(await callTool(server, 'echo', { value: 'a new one' })).toMatchObject({ text: 'echo a new one' });
    },
  );

  verifies('SURF-8', 'sends too much is cut off before the message is in memory', async () => {
    const server = await openTestServer(testServer());
    await server.connect();
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
    await expect(callTool(server, 'flood')).rejects.toThrow(
      'it sent a message larger than 16 MB; the connection was closed.',
    );
    const grown = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed - before;
    expect(grown).toBeLessThan(3 * MAX_MESSAGE_SIZE);
    expect(await callTool(server, 'echo', { value: 'fine' })).toMatchObject({ text: 'echo fine' });
  });

  verifies('SURF-8', 'lists invalid tools loses only those, each with a reason', async () => {
    const { lines, logger } = recordingLogger();
    const server = await openTestServer(testServer('--lies'), { logger });
    await server.connect();
    const { tools, leftOut } = server.report();
    expect(tools).toEqual(expect.arrayContaining(['mcp__it__echo', 'mcp__it__odd_properties', 'mcp__it__long']));
    expect(Object.fromEntries(leftOut.map(({ name, reason }) => [name, reason]))).toEqual({
      text_schema: 'its inputSchema is not an object',
      list_schema: 'its inputSchema does not have type "object"',
      '?': 'it has no name',
      deep: 'its inputSchema is nested more than 40 levels deep',
      huge: 'its inputSchema is longer than 60000 characters',
      attack: expect.stringContaining('looks like a prompt injection'),
      echo: 'listed twice',
    });
    expect(lines.join('\n')).toContain('skipped a tool of an MCP server');
    const long = server.tools().find(({ definition }) => definition.name.endsWith('long'));
    expect(long?.definition.description).toHaveLength(2000);
    const odd = server.tools().find(({ definition }) => definition.name.endsWith('odd_properties'));
    expect(odd?.definition.parameters['properties']).toEqual({ value: {}, other: {} });
    expect(await callTool(server, 'lie')).toEqual({
      text: 'x\n[image of unknown type, no content]',
      images: [],
      isError: false,
    });
    expect(await callTool(server, 'refuse')).toEqual({ text: 'there is no such thing', images: [], isError: true });
    const trusting = await openTestServer({ ...testServer('--lies'), trust: 'full' });
    await trusting.connect();
    expect(trusting.report().tools).toContain('mcp__it__attack');
    expect(trusting.tools().every(({ needsApproval }) => !needsApproval)).toBe(true);
  });

  it('has an endless or circular tool list gets it truncated', fullDoseOnly, async () => {
    const endless = await openTestServer(testServer('--endless'));
    await endless.connect();
    expect(endless.report().tools).toHaveLength(50);
    const circle = await openTestServer(testServer('--circle'));
    await circle.connect();
    expect(circle.report().tools).toContain('mcp__it__echo');
  });

  verifies('SURF-8', 'reports changed tools is asked for its list again', async () => {
    const server = await openTestServer(testServer());
    await server.connect();
    await callTool(server, 'change');
    await pollUntil(() => server.report().tools.includes('mcp__it__late'));
    expect(server.report().tools).not.toContain('mcp__it__echo');
    expect(await callTool(server, 'late')).toMatchObject({ text: 'better late than never' });
  });

  verifies(
    'SURF-8',
    'is lost is reconnected with increasing delays, and only probed after five attempts',
    fullDoseOnly,
    async () => {
      const folder = await createTemporaryFolder();
      const record = join(folder, 'record');
      const slept: number[] = [];
      const clock = {
        now: () => Date.now(),
        async sleep(milliseconds: number, signal?: AbortSignal) {
          slept.push(milliseconds);
          if (slept.length > 6)
            await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error())));
        },
      };
      const entry = testServer(`--record=${record}`);
      const server = await openTestServer(entry, { clock });
      await server.connect();
      await expect(callTool(server, 'die')).rejects.toThrow('exited with code 3');
      await pollUntil(async () => (await starts(record)) === 2);
      await pollUntil(() => server.report().state === 'ready');
      expect(slept[0]).toBeGreaterThanOrEqual(800);
      expect(slept[0]).toBeLessThanOrEqual(1200);
      const failing = await openTestServer(testServer('--crash'), { clock });
      slept.length = 0;
      await failing.connectInBackground();
      await pollUntil(() => slept.length >= 7);
      expect(slept.slice(0, 3).map((pause) => Math.round(pause / 1000))).toEqual([1, 2, 300]);
    },
  );

  verifies('SURF-8', 'starts other processes or ignores signals leaves none of them running', async () => {
    const { lines, logger } = recordingLogger();
    const marker = `--nothing-left-${process.pid}`;
    const server = await openTestServer(testServer('--child', '--detached-child', '--stubborn', marker), { logger });
    await server.connect();
    const [main] = await findProcessesWith(marker);
    const variable = /HERMES_MCP_MARK=\w+/.exec(await readFile(`/proc/${main}/environ`, 'latin1'))?.[0] ?? 'none';
    expect(await findProcessesWith(variable)).toHaveLength(3);
    await server.close();
    expect(await findProcessesWith(variable)).toEqual([]);
    expect(lines).toEqual([]);
  });

  verifies('SURF-8', 'gets only safe environment variables and those of its settings', async () => {
    const variables = {
      PATH: process.env['PATH'],
      LANG: 'C',
      LC_ALL: 'C',
      OPENAI_API_KEY: 'k',
      GIVEN: 'g',
      OTHER: 'o',
    };
    const env = { TOKEN: 'pre-${GIVEN}', PLAIN: 7, FALLBACK: '${UNSET:-else}' };
    const server = await openTestServer({ ...testServer(), env }, { variables });
    await server.connect();
    expect((await callTool(server, 'environment')).text).toBe('FALLBACK HERMES_MCP_MARK LANG LC_ALL PATH PLAIN TOKEN');
    expect((await callTool(server, 'variable', { value: 'TOKEN' })).text).toBe('pre-g');
    const unset = await openTestServer({ ...testServer(), env: { TOKEN: '${NOT_SET_ANYWHERE}' } });
    await expect(unset.connect()).rejects.toMatchObject({
      message: 'mcp_servers.it.env.TOKEN uses the environment variable NOT_SET_ANYWHERE, which is not set.',
      kind: 'settings',
    });
  });
});

describe('the cached tool list of a server', () => {
  verifies('SURF-8', 'is available without connecting until the settings change or a day has passed', async () => {
    const folder = await createTemporaryFolder();
    const record = join(folder, 'record');
    const entry = testServer(`--record=${record}`);
    const first = await openTestServer(entry, { folder });
    expect(await first.loadCachedTools()).toEqual({ known: false, fresh: false, slow: false });
    await first.connect();
    const { tools } = first.report();
    await first.close();
    const second = await openTestServer(entry, { folder });
    expect(await second.loadCachedTools()).toEqual({ known: true, fresh: true, slow: false });
    expect(second.report()).toMatchObject({ tools, list: 'cache', state: 'idle' });
    expect(await starts(record)).toBe(1);
    // The first call opens the connection.
    expect(await callTool(second, 'echo', { value: 1 })).toMatchObject({ text: 'echo 1' });
    expect(await starts(record)).toBe(2);
    const clock = createFakeClock(Date.now() + 25 * 3600_000);
    expect(await (await openTestServer(entry, { folder, clock })).loadCachedTools()).toEqual({
      known: true,
      fresh: false,
      slow: false,
    });
    const other = await openTestServer({ ...entry, tools: { exclude: ['echo'] } }, { folder });
    expect(await other.loadCachedTools()).toEqual({ known: false, fresh: false, slow: false });
  });

  it('is ignored if the file is damaged', async () => {
    const folder = await createTemporaryFolder();
    const { createListCache } = await import('./server-tool-list.ts');
    const { mkdir, readdir, writeFile } = await import('node:fs/promises');
    const settings = await settingsFor(testServer());
    const cache = createListCache(folder, 'it', settings);
    await mkdir(folder, { recursive: true });
    await cache.save({ tools: [], resources: false, prompts: false, leftOut: [] }, 1);
    expect(await cache.read()).toMatchObject({ savedAt: 1, tools: [] });
    const [file = ''] = await readdir(folder);
    for (const content of ['', '{', '[]', '{"version":1}', JSON.stringify({ version: 1, tools: [7] })]) {
      await writeFile(join(folder, file), content);
      expect(await cache.read()).toBeUndefined();
    }
  });
});

/** An HTTP server with the request handler of the test. */
async function startHttp(answer: (request: IncomingMessage, body: string, response: ServerResponse) => void) {
  const http = createHttpServer(
    (request, response) => void text(request).then((body) => answer(request, body, response)),
  );
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

describe('a URL that', () => {
  verifies(
    'SURF-8',
    'rejects the request, is no MCP server or is unreachable is reported without secrets',
    async () => {
      const status = { code: 401 };
      const url = await startHttp((_request, _body, response) => response.writeHead(status.code).end('no'));
      const headers = { Authorization: 'Bearer ${TOKEN}' };
      const variables = { TOKEN: 'sk-very-secret-0123456789abcdef' };
      const server = await openTestServer({ url, headers }, { variables });
      await expect(server.connect()).rejects.toMatchObject({
        message: 'it rejected the connection (HTTP 401).',
        kind: 'login',
      });
      status.code = 500;
      const failing = await openTestServer({ url, headers }, { variables });
      await expect(failing.connect()).rejects.toThrow(/Could not connect to it: .*500/);
      const nowhere = await openTestServer({ url: 'http://127.0.0.1:9/mcp' });
      await expect(nowhere.connect()).rejects.toThrow(/Could not connect to it: .*connection refused/);
      for (const one of [server, failing]) expect(JSON.stringify(one.report())).not.toContain('very-secret');
    },
  );

  verifies('SURF-8', 'redirects to another host is not followed, so that credentials stay with one host', async () => {
    const seen: (string | undefined)[] = [];
    const other = await startHttp((request, _body, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(200).end();
    });
    const url = await startHttp((_request, _body, response) => response.writeHead(307, { location: other }).end());
    const server = await openTestServer({ url, headers: { Authorization: 'Bearer secret' } });
    await expect(server.connect()).rejects.toThrow('Could not connect to it');
    expect(seen).toEqual([]);
  });

  verifies('SURF-8', 'sends too much in one response or one event is cut off', fullDoseOnly, async () => {
    const kind = { type: '' };
    /** Megabytes sent, per request. */
    const received: number[] = [];
    const url = await startHttp((_request, _body, response) => {
      response.writeHead(200, { 'content-type': kind.type });
      const piece = Buffer.alloc(1024 * 1024, 'x');
      let sent = 0;
      response.once('close', () => received.push(sent));
      const more = () => {
        while (sent < 50 && !response.destroyed) {
          sent += 1;
          if (!response.write(piece)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    for (const type of ['application/json', 'text/event-stream']) {
      kind.type = type;
      const seen = received.length;
      const server = await openTestServer({ url, connect_timeout: 20 });
      await expect(server.connect(), type).rejects.toThrow('larger than 16 MB');
      await pollUntil(() => received.length === seen + 1);
      expect(received.at(-1)).toBeLessThan(40);
    }
  });
});
