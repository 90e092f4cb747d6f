import { spawn } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { basename, join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished } from 'vitest';
import { fullDoseOnly } from '../../test/support/dose.ts';
import { startEverything } from '../../test/support/everything-server.ts';
import { verifies } from '../../test/spec/verifies.ts';
import {
  callTool,
  createTemporaryFolder,
  OFFICIAL_SERVERS,
  openTestServer,
  pollUntil,
  SDK_SERVER,
  testServer,
} from '../../test/support/mcp-servers.ts';
import { TEST_AUTHORITY, TEST_CERTIFICATE, TEST_CERTIFICATE_KEY } from '../llm/transport/certificates.test-helper.ts';
import { redactSecrets } from '../util/index.ts';
import type { McpServer } from './server.ts';

const node = process.execPath;

/** Starts the server of the official package over HTTP and returns its URL. */
async function startSdkServer(): Promise<string> {
  const child = spawn(node, [SDK_SERVER, '--http'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const [line] = (await once(child.stderr, 'data')) as [Buffer];
  return line.toString().trim();
}

describe('a server of the official server package', () => {
  verifies('SURF-8', 'speaks protocol version 2026-07-28 over stdio and HTTP, and gets the roots', async () => {
    const folder = await createTemporaryFolder();
    for (const entry of [{ command: node, args: [SDK_SERVER] }, { url: await startSdkServer() }]) {
      const server = await openTestServer(entry, { folder });
      await server.connect();
      expect(server.report()).toMatchObject({ state: 'ready', protocolVersion: '2026-07-28', serverVersion: '2.4.0' });
      const args = { query: 'x', limit: 1, order: { by: 'name' } };
      expect(JSON.parse((await callTool(server, 'search', args)).text)).toEqual(args);
      // In this version the server does not send requests: it asks with its result and is called again.
      const root = { uri: pathToFileURL(folder).href, name: basename(folder) };
      expect((await callTool(server, 'roots')).text).toContain(JSON.stringify(root));
    }
  });
});

describe('the roots of a server', () => {
  const allowed = async (server: McpServer) => (await callTool(server, 'list_allowed_directories')).text.split('\n');

  verifies('SURF-8', 'are the working directory', fullDoseOnly, async () => {
    const folder = await createTemporaryFolder();
    const everything = await openTestServer({ command: node, args: [OFFICIAL_SERVERS.everything] }, { folder });
    await everything.connect();
    expect((await callTool(everything, 'get-roots-list')).text).toContain(`URI: ${pathToFileURL(folder).href}\n`);
    // It allows only what the client names.
    const files = await openTestServer({ command: node, args: [OFFICIAL_SERVERS.filesystem] }, { folder });
    await files.connect();
    await pollUntil(async () => (await allowed(files)).includes(folder));
    await writeFile(join(folder, 'a.txt'), 'alpha');
    expect(await callTool(files, 'read_text_file', { path: join(folder, 'a.txt') })).toMatchObject({ text: 'alpha' });
  });

  verifies(
    'SURF-8',
    'are the folders among its arguments, so that no others become allowed',
    fullDoseOnly,
    async () => {
      const folder = await createTemporaryFolder();
      await mkdir(join(folder, 'notes'));
      const given = { folder, variables: { PATH: process.env['PATH'], HOME: folder } };
      const rootsFor = async (entry: object) => {
        const server = await openTestServer({ command: node, ...entry }, given);
        await server.connect();
        return [...(await callTool(server, 'roots')).text.matchAll(/"uri":"([^"]+)"/g)].map(([, uri]) => uri);
      };
      const url = (name: string) => pathToFileURL(join(folder, name)).href;
      expect(await rootsFor({ args: [SDK_SERVER, 'missing', '~/notes'] })).toEqual([url('notes')]);
      // The value of an option is not where the server should work.
      expect(await rootsFor({ args: [SDK_SERVER, '--directory', '~/notes'] })).toEqual([url('')].map(withoutSlash));
      expect(await rootsFor({ args: [SDK_SERVER], roots: ['${HOME}/docs', 'src'] })).toEqual([url('docs'), url('src')]);
      // The server says that the client does not support roots.
      await expect(rootsFor({ args: [SDK_SERVER], roots: false })).rejects.toThrow('rejected the call');
      await expect(rootsFor({ args: [SDK_SERVER], roots: ['${NOT_SET}'] })).rejects.toMatchObject({
        kind: 'settings',
        message: 'mcp_servers.it.roots uses the environment variable NOT_SET, which is not set.',
      });
      await expect(rootsFor({ args: [SDK_SERVER, '${NOT_SET}'] })).rejects.toThrow('mcp_servers.it.args[1] uses');
      const files = await openTestServer({ command: node, args: [OFFICIAL_SERVERS.filesystem, '~/notes'] }, given);
      await files.connect();
      const outside = await callTool(files, 'list_directory', { path: folder });
      expect(outside).toMatchObject({ isError: true, text: expect.stringMatching(/denied/i) });
      expect(await allowed(files)).toEqual(['Allowed directories:', join(folder, 'notes')]);
    },
  );
});

const withoutSlash = (url: string) => url.replace(/\/$/, '');

describe('a tool that runs only as a task', () => {
  verifies('SURF-8', 'is started, polled until it ends, and its status is shown', async () => {
    const server = await openTestServer(testServer('--tasks'));
    await server.connect();
    const shown: string[] = [];
    const progress = (text: string) => void shown.push(text);
    expect(await callTool(server, 'research', {}, { progress })).toMatchObject({ text: 'result of research' });
    expect(shown).toEqual(['step 0\n', 'step 1\n', 'step 2\n']);
    expect(await callTool(server, 'echo', { value: 'x' })).toMatchObject({ text: 'echo x' });
  });

  verifies('SURF-8', 'is cancelled if the call is interrupted or its status does not change in time', async () => {
    const record = join(await createTemporaryFolder(), 'record');
    const cancelled = async () => (await readFile(record, 'utf8')).split('cancel endless').length - 1;
    const server = await openTestServer({ ...testServer('--tasks', `--record=${record}`), timeout: 0.5 });
    await server.connect();
    const stop = new AbortController();
    const progress = () => stop.abort(new Error('stopped'));
    await expect(callTool(server, 'endless', {}, { signal: stop.signal, progress })).rejects.toThrow('stopped');
    await pollUntil(async () => (await cancelled()) === 1);
    await expect(callTool(server, 'endless')).rejects.toMatchObject({
      message: expect.stringContaining('its task did not change for 0.5 s and was cancelled'),
      isOwnText: true,
    });
    await pollUntil(async () => (await cancelled()) === 2);
  });

  verifies('SURF-8', 'is not offered if the server does not support tasks, also in newer versions', async () => {
    for (const words of [['--no-tasks'], ['--tasks', '--modern']]) {
      const server = await openTestServer(testServer(...words));
      await server.connect();
      expect(server.report().tools).toContain('mcp__it__echo');
      expect(server.report().tools).not.toContain('mcp__it__research');
      const reason = expect.stringContaining('runs only as a task');
      expect(server.report().leftOut).toContainEqual({ name: 'research', reason });
    }
  });

  verifies('SURF-8', 'of the everything server asks the user and returns its report', fullDoseOnly, async () => {
    const { url } = await startEverything('streamableHttp');
    for (const entry of [{ command: node, args: [OFFICIAL_SERVERS.everything] }, { url }]) {
      const server = await openTestServer(entry);
      await server.connect();
      const interaction = { approve: async () => 'deny' as const, clarify: async () => 'snake' };
      const args = { topic: 'python', ambiguous: true as never };
      const { text } = await callTool(server, 'simulate-research-query', args, { interaction });
      expect(text).toContain('# Research Report: python (snake)');
    }
  });
});

describe('a server that requires a client certificate', () => {
  /** The everything server behind TLS: without a certificate of the authority no byte reaches it. */
  async function startWithTls(): Promise<string> {
    const { port } = new URL((await startEverything('streamableHttp')).url);
    const own = { cert: TEST_CERTIFICATE, key: TEST_CERTIFICATE_KEY, ca: TEST_AUTHORITY };
    const front = createTlsServer({ ...own, requestCert: true, rejectUnauthorized: true }, (socket) => {
      const inner = connect(Number(port), '127.0.0.1');
      for (const end of [socket, inner]) end.on('error', () => void [socket.destroy(), inner.destroy()]);
      socket.pipe(inner).pipe(socket);
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    onTestFinished(() => void front.close());
    return `https://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`;
  }

  verifies('SURF-8', 'accepts it from files or variables, also with an encrypted key', async () => {
    const [url, folder] = [await startWithTls(), await createTemporaryFolder()];
    const password = 'open-the-key-8461';
    const encrypted = createPrivateKey(TEST_CERTIFICATE_KEY).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: password,
    });
    for (const [name, content] of Object.entries({ ca: TEST_AUTHORITY, cert: TEST_CERTIFICATE, locked: encrypted }))
      await writeFile(join(folder, `${name}.pem`), content);
    const variables = { KEY: TEST_CERTIFICATE_KEY, CERT: TEST_CERTIFICATE, KEY_PASSWORD: password };
    const open = async (more: object) => {
      const server = await openTestServer({ url, ssl_verify: join(folder, 'ca.pem'), ...more }, { variables });
      await server.connect();
      return (await callTool(server, 'echo', { message: 'with TLS' })).text;
    };
    const locked = { client_cert: join(folder, 'cert.pem'), client_key: join(folder, 'locked.pem') };
    expect(await open({ client_cert: '${CERT}', client_key: '${KEY}' })).toBe('Echo: with TLS');
    expect(await open({ ...locked, client_key_password: '${KEY_PASSWORD}' })).toBe('Echo: with TLS');
    expect(redactSecrets(`the password is ${password}`)).not.toContain(password);
    await expect(open({})).rejects.toThrow('Could not connect to it');
    await expect(open(locked)).rejects.toThrow('the key is encrypted, and its password is missing or wrong');
    const wrong = { ...locked, client_key_password: 'wrong-password' };
    await expect(open(wrong)).rejects.toMatchObject({
      kind: 'settings',
      message: expect.not.stringContaining('wrong-p'),
    });
    await expect(open({ client_key: '${KEY}' })).rejects.toThrow(
      'client_key is set without mcp_servers.it.client_cert',
    );
  });
});
