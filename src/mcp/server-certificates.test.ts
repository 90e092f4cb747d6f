import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { TEST_AUTHORITY, TEST_CERTIFICATE, TEST_CERTIFICATE_KEY } from '../llm/transport/certificates.test-helper.ts';
import { createServerFetch } from './server-fetch.ts';
import { callTool, createTemporaryFolder, openTestServer } from '../../test/support/mcp-servers.ts';

const certificate = { cert: TEST_CERTIFICATE, key: TEST_CERTIFICATE_KEY };

/** A TLS server that requests a client certificate. Its only tool reports whether it received one. */
async function startTls() {
  const options = { ...certificate, ca: TEST_AUTHORITY, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options, (request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id, method = '' } = JSON.parse((await text(request)) || '{}') as { id?: number; method?: string };
  if (id === undefined) {
    response.writeHead(request.method === 'POST' ? 202 : 405).end();
    return;
  }
  const socket = request.socket as TLSSocket;
  // Node 22 also reports clients without a certificate as authorized.
  const known = socket.authorized && Object.keys(socket.getPeerCertificate()).length > 0 ? 'known' : 'unknown';
  const results: Record<string, object> = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 't', version: '1' } },
    'tools/list': { tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: known }] },
  };
  const result = results[method];
  const outcome = result ? { result } : { error: { code: -32601, message: 'no' } };
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
}

async function files() {
  const folder = await createTemporaryFolder();
  const write = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  return {
    folder,
    authority: await write('ca.pem', TEST_AUTHORITY),
    cert: await write('cert.pem', TEST_CERTIFICATE),
    key: await write('key.pem', TEST_CERTIFICATE_KEY),
    both: await write('both.pem', TEST_CERTIFICATE + TEST_CERTIFICATE_KEY),
    empty: await write('empty.pem', 'nothing'),
  };
}

describe('certificates of a server', () => {
  verifies('SURF-8', 'are verified unless ssl_verify names a CA file or is false', async () => {
    const [url, { authority, folder }] = [await startTls(), await files()];
    const connect = async (entry: object) => {
      const server = await openTestServer({ url, ...entry }, { folder, variables: { HOME: folder } });
      await server.connect();
      return (await callTool(server, 'whoami')).text;
    };
    await expect(connect({})).rejects.toThrow('Could not connect to it');
    await expect(connect({ ssl_verify: true })).rejects.toThrow('Could not connect to it');
    expect(await connect({ ssl_verify: authority })).toBe('unknown');
    expect(await connect({ ssl_verify: '~/ca.pem' })).toBe('unknown');
    expect(await connect({ ssl_verify: false })).toBe('unknown');
  });

  verifies(
    'SURF-8',
    'include a client certificate from client_cert, with its key in the same or another file',
    async () => {
      const [url, { authority: ssl_verify, cert, key, both }] = [await startTls(), await files()];
      for (const own of [{ client_cert: cert, client_key: key }, { client_cert: [cert, key] }, { client_cert: both }]) {
        const server = await openTestServer({ url, ssl_verify, ...own });
        await server.connect();
        expect(await callTool(server, 'whoami')).toMatchObject({ text: 'known' });
      }
    },
  );

  verifies('SURF-8', 'are reported if their file is missing or contains no certificate', async () => {
    const [url, { empty }] = [await startTls(), await files()];
    const failureOf = async (entry: object) => {
      const server = await openTestServer({ url, ...entry });
      return server.connect().then(
        () => undefined,
        (thrown: Error) => thrown,
      );
    };
    expect(await failureOf({ ssl_verify: '/nowhere.pem' })).toMatchObject({
      kind: 'settings',
      message: expect.stringMatching(/^mcp_servers\.it\.ssl_verify: \/nowhere\.pem cannot be read: ENOENT/),
    });
    expect((await failureOf({ ssl_verify: empty }))?.message).toContain('contains no certificate');
    expect((await failureOf({ client_cert: '/nowhere.pem' }))?.message).toContain('mcp_servers.it.client_cert:');
  });

  verifies('SURF-8', 'apply only to the host of the server', async () => {
    const [own, other] = [await startTls(), await startTls()];
    const fetch = createServerFetch('it', {}, { host: new URL(own).host, tls: { rejectUnauthorized: false } });
    onTestFinished(() => fetch.close());
    expect((await fetch.fetch(own)).status).toBe(405);
    await expect(fetch.fetch(other)).rejects.toThrow();
  });
});
