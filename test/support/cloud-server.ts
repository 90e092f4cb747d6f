import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProxy } from '../../src/llm/transport/proxy.test-helper.ts';

// A certificate for these tests only, valid for a hundred years: it is its own authority, for the hosts of the clouds.

const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIICgjCCAiigAwIBAgIUflfL7QFFAo04sTGdJQL/CtEj/xMwCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSSGVybWVzIHRlc3QgY2xvdWRzMCAXDTI2MTExNjE2MDI1OFoY
DzIxMjYxMDIzMTYwMjU4WjAdMRswGQYDVQQDDBJIZXJtZXMgdGVzdCBjbG91ZHMw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQR9jFBt2zK7pDmFBeH4jx0FBhVDLh7
KGeCjOX8eCcsxoXwQq0f7U4Dq9yafs9wGPWkJv4x2qmG4Gb2VTM6s3myo4IBQjCC
AT4wDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAoQwgfsGA1UdEQSB8zCB
8IIZKi51cy1lYXN0LTEuYW1hem9uYXdzLmNvbYIZKi5ldS13ZXN0LTEuYW1hem9u
YXdzLmNvbYIcKi5ldS1jZW50cmFsLTEuYW1hem9uYXdzLmNvbYIdKi5zc28udXMt
ZWFzdC0xLmFtYXpvbmF3cy5jb22CECouZ29vZ2xlYXBpcy5jb22CEioub3BlbmFp
LmF6dXJlLmNvbYIRKi5vcGVuYWkuYXp1cmUudXOCGWxvZ2luLm1pY3Jvc29mdG9u
bGluZS5jb22CGGxvZ2luLm1pY3Jvc29mdG9ubGluZS51c4INKi5oZXJtZXMudGVz
dDAdBgNVHQ4EFgQUHbwUDHmr3uANqEdtzxinVpZp7VowCgYIKoZIzj0EAwIDSAAw
RQIgPTHJ2H/gES9pLfezYn9309MUqq/Klb/3KBuu+knLEHgCIQDnyYEmRKyj/h6f
Bga4wIqD8Ltkdiz/WzdrPoW06Oi+YA==
-----END CERTIFICATE-----
`;

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgm6CE49/ILGDkj6aL
HpAQyOMxPJqkrBinzTtIsoPEHe2hRANCAAQR9jFBt2zK7pDmFBeH4jx0FBhVDLh7
KGeCjOX8eCcsxoXwQq0f7U4Dq9yafs9wGPWkJv4x2qmG4Gb2VTM6s3my
-----END PRIVATE KEY-----
`;

export type CloudRequest = { method: string; host: string; url: string; headers: IncomingHttpHeaders; body: string };
export type CloudReply = { status?: number; type?: string; body: string | Uint8Array | object };
export type CloudHandler = (request: CloudRequest) => CloudReply | undefined;

export type TestCloud = AsyncDisposable & {
  /** A folder that serves as the home directory of the user. */
  home: string;
  /** The variables with which every https request goes to the test server, under the name of its real host. */
  variables: Record<string, string>;
  requests: CloudRequest[];
  /** All hosts that a connection was opened to. */
  hosts(): string[];
  write(name: string, content: string | object): Promise<string>;
};

/**
 * A server on loopback that all hosts of the clouds lead to: a proxy receives every connection and passes it on, so
 * that the real host names, certificates and host checks are used, and no other host can be reached.
 */
export async function startCloud(handle: CloudHandler): Promise<TestCloud> {
  const requests: CloudRequest[] = [];
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const seen = { method, host: headers.host ?? '', url, headers, body: Buffer.concat(chunks).toString() };
      requests.push(seen);
      const { status = 200, type = 'application/json', body } = handle(seen) ?? { status: 404, body: 'not found' };
      response.writeHead(status, { 'content-type': type });
      response.end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await startProxy({ tunnelTo: (server.address() as AddressInfo).port });
  const home = await mkdtemp(join(tmpdir(), 'hermes-cloud-'));
  const write = async (name: string, content: string | object) => {
    const file = join(home, name);
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };
  const authorities = await write('authorities.pem', CERTIFICATE);
  return {
    home,
    requests,
    write,
    variables: {
      HOME: home,
      PATH: `${home}:/usr/bin:/bin`,
      HTTPS_PROXY: `http://${proxy.host}`,
      SSL_CERT_FILE: authorities,
      AWS_EC2_METADATA_DISABLED: 'true',
      NO_GCE_CHECK: 'true',
    },
    hosts: () => [...new Set(proxy.seen.map(({ target }) => target.replace(/:443$/, '')))],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await Promise.all([proxy.close(), new Promise((resolve) => server.close(resolve))]);
      await rm(home, { recursive: true, force: true });
    },
  };
}
