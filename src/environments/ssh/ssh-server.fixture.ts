import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const SERVER = '/usr/sbin/sshd';

/** Why no SSH server can be started; undefined if one can. */
export function sshServerIsMissing(): string | undefined {
  return existsSync(SERVER) ? undefined : 'openssh-server is not installed';
}

export type SshServer = {
  /** Environment variables with which `ssh` finds the configuration of this server. */
  env: Record<string, string | undefined>;
  host: string;
  port: number;
  folder: string;
  /** The current control sockets of clients of this server. */
  sockets(): string[];
  /** Replaces the client configuration. */
  configure(settings: readonly string[]): void;
  /** Makes clients connect to another port, which leads to this server. */
  connectThrough(port: number): void;
  /** How many `ssh` processes were started so far. */
  processes(): number;
  close(): Promise<void>;
};

/** Starts a real SSH server with its own port and keys, for the user who runs the tests. */
export async function startSshServer(): Promise<SshServer> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-sshd-'));
  for (const name of ['host', 'user']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  }
  writeFileSync(join(folder, 'authorized'), readFileSync(join(folder, 'user.pub')));
  writeServerConfig(folder);
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    // One sshd per connection, which inherits the socket, so that no port has to be guessed.
    const child = spawn(SERVER, ['-i', '-e', '-f', join(folder, 'sshd_config')], { stdio: [socket, socket, 'ignore'] });
    child.once('spawn', () => socket.destroy());
    child.once('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  writeFileSync(join(folder, 'known'), `[127.0.0.1]:${port} ${readFileSync(join(folder, 'host.pub'), 'utf8')}`);
  mkdirSync(join(folder, 'bin'));
  // The client takes the home directory from the user database, so a wrapper script must pass the configuration.
  const client = `#!/bin/sh\necho "$*" >>'${folder}/calls'\nprintf . >>'${folder}/starts'\nexec /usr/bin/ssh -F '${folder}/client' "$@"\n`;
  writeFileSync(join(folder, 'starts'), '');
  writeFileSync(join(folder, 'bin/ssh'), client, { mode: 0o755 });
  const configure = (settings: readonly string[]) => writeClientConfig(folder, port, settings);
  configure([]);
  return {
    folder,
    port,
    configure,
    connectThrough: (other) => configure([`Port ${other}`, `HostKeyAlias [127.0.0.1]:${port}`]),
    processes: () => readFileSync(join(folder, 'starts'), 'utf8').length,
    host: 'test-box',
    sockets() {
      const calls = readFileSync(join(folder, 'calls'), 'utf8').matchAll(/-S (\S+)/g);
      return [...new Set(Array.from(calls, ([, path]) => path as string))].filter(existsSync);
    },
    env: { ...process.env, PATH: `${folder}/bin:${process.env['PATH']}` },
    async close() {
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeServerConfig(folder: string): void {
  // Debian's sshd requires this folder, which its start script would create.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  writeFileSync(
    join(folder, 'sshd_config'),
    [
      `HostKey ${folder}/host`,
      `AuthorizedKeysFile ${folder}/authorized`,
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin yes',
      'StrictModes no',
      // Login shells read start-up files in HOME, and the user's own must not affect the tests.
      `SetEnv HOME=${folder} TMPDIR=${tmpdir()}`,
      'UsePAM no',
      'PidFile none',
      'PermitUserEnvironment no',
      'MaxSessions 100',
    ].join('\n'),
  );
}

function writeClientConfig(folder: string, port: number, settings: readonly string[]): void {
  writeFileSync(
    join(folder, 'client'),
    [
      ...settings,
      'Host test-box',
      'HostName 127.0.0.1',
      `Port ${port}`,
      `User ${userInfo().username}`,
      `IdentityFile ${folder}/user`,
      'IdentitiesOnly yes',
      'IdentityAgent none',
      `UserKnownHostsFile ${folder}/known`,
      'GlobalKnownHostsFile none',
      'StrictHostKeyChecking yes',
    ].join('\n'),
  );
}
