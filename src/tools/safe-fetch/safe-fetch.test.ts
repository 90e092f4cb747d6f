import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { type FetchOptions, safeFetch } from './index.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server on loopback, which the tests allow; a custom lookup resolves names to it. */
async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const options = (more: Partial<FetchOptions> = {}): FetchOptions => ({
  signal: new AbortController().signal,
  allowLoopback: true,
  lookup: async () => ['127.0.0.1'],
  ...more,
});
const textOf = ({ body }: { body: Uint8Array }) => Buffer.from(body).toString();

describe('safeFetch', () => {
  verifies('TOOL-10', 'connects to the checked address, even if the name resolves differently later', async () => {
    const hosts: (string | undefined)[] = [];
    const port = await serve((request, response) => {
      hosts.push(request.headers.host);
      response.end('page');
    });
    let asked = 0;
    const lookup = async () => [asked++ === 0 ? '127.0.0.1' : '10.0.0.1'];
    const page = await safeFetch(`http://no-such-host.invalid:${port}/a`, options({ lookup }));
    expect([page.status, textOf(page), page.url]).toEqual([200, 'page', `http://no-such-host.invalid:${port}/a`]);
    expect(hosts).toEqual([`no-such-host.invalid:${port}`]);
    expect(asked).toBe(1);
  });

  verifies('TOOL-10', 'allows a private server that the user configured, and no other', async () => {
    let inside = 0;
    const other = await serve((_request, response) => {
      inside += 1;
      response.end('inside');
    });
    const port = await serve((request, response) => {
      if (request.url === '/ok') return void response.end('own');
      const to = request.url === '/same' ? '/ok' : `http://127.0.0.1:${other}/`;
      response.writeHead(307, { location: to }).end();
    });
    const own = options({ allowLoopback: false, ownServer: true, method: 'POST', body: '{}' });
    const at = (path: string) => safeFetch(`http://search.example:${port}${path}`, own);
    expect(textOf(await at('/same'))).toBe('own');
    await expect(at('/elsewhere')).rejects.toThrow('is a local address');
    expect(inside).toBe(0);
  });

  verifies('TOOL-10', 'checks each redirect and follows none to a private address', async () => {
    let inside = 0;
    const port = await serve((request, response) => {
      if (request.url === '/ok') return void response.end(`moved, ${request.headers.authorization}`);
      if (request.url === '/inside') inside += 1;
      const to = { '/a': '/b', '/b': `http://other.example:${port}/ok`, '/loop': '/loop' }[request.url ?? ''];
      response.writeHead(302, { location: to ?? `http://internal.example:${port}/inside` }).end();
    });
    const lookup = async (host: string) => [host === 'internal.example' ? '10.0.0.1' : '127.0.0.1'];
    const headers = { authorization: 'Bearer x' };
    const page = await safeFetch(`http://here.example:${port}/a`, options({ lookup, headers }));
    expect(textOf(page)).toBe('moved, undefined');
    expect(page.url).toBe(`http://other.example:${port}/ok`);
    await expect(safeFetch(`http://here.example:${port}/x`, options({ lookup }))).rejects.toThrow(
      'private or reserved address',
    );
    await expect(safeFetch(`http://here.example:${port}/loop`, options({ lookup }))).rejects.toThrow(
      'too many redirects',
    );
    expect(inside).toBe(0);
    const refused = await serve((_request, response) =>
      response.writeHead(301, { location: 'file:///etc/passwd' }).end(),
    );
    await expect(safeFetch(`http://a.example:${refused}/`, options())).rejects.toThrow('must begin with https://');
  });

  it('decompresses the body and limits its size', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/bomb') {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000)));
      } else response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'));
    });
    expect(textOf(await safeFetch(`http://a.example:${port}/`, options()))).toBe('packed');
    const bomb = await safeFetch(`http://a.example:${port}/bomb`, options({ maxBytes: 1000 }));
    expect([bomb.body.length, bomb.cut]).toEqual([1000, true]);
  });

  it('stops on abort and on timeout, and reports what went wrong', async () => {
    const arrived = Promise.withResolvers<void>();
    const port = await serve(() => arrived.resolve());
    const stop = new AbortController();
    const fetching = safeFetch(`http://a.example:${port}/`, options({ signal: stop.signal }));
    await arrived.promise;
    stop.abort(new Error('enough'));
    await expect(fetching).rejects.toThrow('enough');
    await expect(safeFetch(`http://a.example:${port}/`, options({ timeoutMs: 20 }))).rejects.toThrow('timed out');
    const closed = await serve((_request, response) => response.destroy());
    await expect(safeFetch(`http://a.example:${closed}/`, options())).rejects.toThrow('Could not fetch');
  });

  it('sends a body, and repeats it only for redirects that require it', async () => {
    const seen: string[] = [];
    const port = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push(`${request.method} ${request.url} ${Buffer.concat(chunks).toString()}`);
        const status = { '/307': 307, '/303': 303 }[request.url ?? ''];
        if (status === undefined) response.end('done');
        else response.writeHead(status, { location: '/end' }).end();
      });
    });
    const send = options({ method: 'POST', body: 'x' });
    await safeFetch(`http://a.example:${port}/307`, send);
    await safeFetch(`http://a.example:${port}/303`, send);
    expect(seen).toEqual(['POST /307 x', 'POST /end x', 'POST /303 x', 'GET /end ']);
  });
});
