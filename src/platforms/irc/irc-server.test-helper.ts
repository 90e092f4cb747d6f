import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A real IRC server (ngircd) on loopback, without the limits that would slow tests down. */
export async function startNgircd(
  options: { password?: string } = {},
): Promise<{ port: number; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'ngircd-'));
  const port = await freePort();
  const file = join(folder, 'ngircd.conf');
  await writeFile(file, configuration(port, options.password));
  const child = spawn('/usr/sbin/ngircd', ['--nodaemon', '--config', file], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  await waitForPort(port, child);
  return {
    port,
    async stop() {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

const configuration = (port: number, password: string | undefined) => `[Global]
Name = irc.test
Info = test
Listen = 127.0.0.1
Ports = ${port}
MotdPhrase = test
ServerUID = nobody
ServerGID = nogroup
${password === undefined ? '' : `Password = ${password}`}
[Limits]
MaxConnections = 0
MaxConnectionsIP = 0
MaxJoins = 0
MaxNickLength = 30
MaxPenaltyTime = 0
[Options]
DNS = no
Ident = no
PAM = no
`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function waitForPort(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect({ host: '127.0.0.1', port });
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`ngircd exited with code ${child.exitCode}`);
}
