import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { skipReason } from '../../../src/environments/skip-tests.fixture.ts';

/** Connection pools in front of a server, as hosting providers run them. */
export type Pgbouncer = {
  /** The URL of a database, but through the pooler. */
  through(url: string): string;
  close(): Promise<void>;
};

/** Why the tests with PgBouncer are skipped, as a suffix for the test title; empty if they can run. */
export function pgbouncerSkipReason(): string {
  const { error } = spawnSync('pgbouncer', ['--version'], { env: searchPath() });
  return skipReason('PgBouncer', error === undefined ? undefined : 'pgbouncer is not installed');
}

/** Debian installs it where only administrators look for programs. */
const searchPath = () => ({ ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` });

/** Starts PgBouncer in transaction mode: every transaction may run on another connection to the server. */
export async function startPgbouncer(serverUrl: string): Promise<Pgbouncer> {
  const { hostname, port: serverPort, username, password } = new URL(serverUrl);
  const folder = mkdtempSync(join(tmpdir(), 'hermes-pgbouncer-'));
  const port = await findPort();
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=${username} password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 3',
    // The next transaction gets the connection that was idle for the longest time.
    'server_round_robin = 1',
  ];
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, settings.join('\n'), { mode: 0o644 });
  // It refuses to run as root, and then needs another user who can read its file.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  spawnSync('chmod', ['755', folder]);
  const child = spawn('pgbouncer', [...user, file], { env: searchPath(), stdio: ['ignore', 'ignore', 'pipe'] });
  await untilListening(child);
  return {
    through(url) {
      const pooled = new URL(url);
      pooled.port = String(port);
      return pooled.href;
    },
    async close() {
      child.kill('SIGQUIT');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilListening(child: ChildProcess): Promise<void> {
  let said = '';
  const listening = new Promise<void>((resolve) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-4096);
      if (said.includes('process up')) resolve();
    });
  });
  const failed = once(child, 'close').then(() => {
    throw new Error(`PgBouncer did not start: ${said}`);
  });
  await Promise.race([listening, failed]);
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
