import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { OFFICIAL_SERVERS } from './mcp-servers.ts';

/**
 * Starts the everything server over HTTP. It needs a port number, so another process may take the port first; then
 * the next port is tried.
 */
export async function startEverything(kind: 'streamableHttp' | 'sse'): Promise<{ url: string }> {
  for (;;) {
    const port = await freePort();
    const child = spawn(process.execPath, [OFFICIAL_SERVERS.everything, kind], {
      env: { PATH: process.env['PATH'], PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    while (!/on port|in use/.test(said)) await once(child.stderr, 'data');
    if (!said.includes('in use')) return { url: `http://127.0.0.1:${port}/${kind === 'sse' ? 'sse' : 'mcp'}` };
  }
}

async function freePort(): Promise<number> {
  const probe = createTcpServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
