import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProxy } from './proxy.ts';

/** A server that sends these bytes as its response. */
async function serverThatSays(answer: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(answer, 'latin1'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** The status line of the proxy's response. */
async function firstLine(target: string): Promise<string> {
  const proxy = await startProxy({ check: async () => ['127.0.0.1'] });
  onTestFinished(() => proxy.close());
  const { hostname, port } = new URL(proxy.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(`GET ${target} HTTP/1.1\r\nhost: a\r\n\r\n`));
    socket.once('error', reject).once('close', () => resolve('closed'));
    socket.once('data', (chunk) => {
      resolve(chunk.toString('latin1').split('\r\n')[0] ?? '');
      socket.destroy();
    });
  });
}

describe('the proxy of a browser context with invalid servers', () => {
  const cases = [
    ['a status that there is not', 'HTTP/1.1 099 Odd\r\ncontent-length: 2\r\n\r\nhi', /502/],
    ['a status of nothing', 'HTTP/1.1 000 x\r\ncontent-length: 0\r\n\r\n', /502/],
    ['control characters behind the status', 'HTTP/1.1 200 a\u0001b\r\ncontent-length: 2\r\n\r\nhi', /200/],
    ['another protocol that was not requested', 'HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', /502/],
    ['nothing at all', '', /502/],
    ['no HTTP', 'SSH-2.0-OpenSSH_9\r\n', /502/],
  ] as const;
  it.each(cases)('forwards or refuses %s, and keeps running', async (_name, answer, expected) => {
    const port = await serverThatSays(answer);
    expect(await firstLine(`http://somewhere.invalid:${port}/`)).toMatch(expected);
  });

  it('refuses a URL that needs a tunnel', async () => {
    expect(await firstLine('https://somewhere.invalid/')).toMatch(/HTTP\/1.1 (?:403|502)/);
  });
});
