import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { type Binaries, findBinaries } from './binaries.ts';
import { startGuard } from './guard.ts';

export type PostgresServer = AsyncDisposable & {
  readonly port: number;
  /** The administrator's URL. It includes the password, which tests for leaks can search for. */
  readonly url: string;
  readonly password: string;
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Runs one statement as the administrator, in the database of a URL or in the default one. */
  query(sql: string, url?: string): Promise<Record<string, unknown>[]>;
  /** Stops the server like a crash: connections get no message. The data is kept. */
  stop(): Promise<void>;
  /** Starts the server again on the same port. */
  start(): Promise<void>;
  /** Stops the server and removes all its files. */
  remove(): Promise<void>;
};

type Setting = { folder: string; data: string; port: number; binaries: Binaries; owner: Owner | undefined };
type Owner = { uid: number; gid: number };

/** The server refuses to run as root; this user exists on every system and owns nothing. */
const NOBODY: Owner = { uid: 65_534, gid: 65_534 };
const PASSWORD = 'walrus-secret-7f';
/** A folder shared by the servers of one test run; without it each server creates its own cluster. */
const TEMPLATE_VARIABLE = 'HERMES_TEST_POSTGRES';
const TEMPLATE_TIMEOUT_MS = 60_000;
/** Another program may take a free port before the server binds it. */
const TRIES = 5;

// No durability is needed. Shared memory is in files of the folder, so that nothing is left elsewhere.
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '16MB',
  dynamic_shared_memory_type: 'mmap',
  max_connections: '60',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  log_min_messages: 'log',
};

/**
 * A separate PostgreSQL server for a test file, on loopback and a free port. It ends with the process that started
 * it.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-postgres-'));
  const guard = startGuard(folder);
  try {
    const setting = await createCluster(folder);
    const running = await runServer(setting);
    return describeServer(setting, running, guard);
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    guard.end();
    throw thrown;
  }
}

async function createCluster(folder: string): Promise<Setting> {
  const owner = process.getuid?.() === 0 ? NOBODY : undefined;
  await chmod(folder, 0o755);
  const binaries = await findBinaries(folder, owner !== undefined);
  const setting = { folder, data: join(folder, 'data'), port: 0, binaries, owner };
  const template = process.env[TEMPLATE_VARIABLE];
  if (template === undefined) {
    await initialize(setting, folder);
  } else {
    await makeTemplate(setting, template);
    await promisify(execFile)('cp', ['-a', '--reflink=auto', join(template, 'data'), setting.data]);
  }
  return setting;
}

/** Creates the cluster that all servers of a test run copy. The first process creates it, and the others wait. */
async function makeTemplate(setting: Setting, template: string): Promise<void> {
  const ready = join(template, 'ready');
  const isFirst = await mkdir(template, { mode: 0o755 }).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    await initialize({ ...setting, data: join(template, 'data') }, template);
    await writeFile(ready, '');
  }
  const deadline = Date.now() + TEMPLATE_TIMEOUT_MS;
  while (!existsSync(ready) && Date.now() < deadline) await sleep(50);
  if (!existsSync(ready)) throw new Error(`The PostgreSQL cluster in ${template} was not ready in time.`);
}

async function initialize({ data, owner, ...setting }: Setting, folder: string): Promise<void> {
  const passwordFile = join(folder, 'password');
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, PASSWORD);
  if (owner) for (const path of [data, passwordFile]) await chown(path, owner.uid, owner.gid);
  const args = ['--auth=scram-sha-256', '--username=postgres', '--encoding=UTF8', '--no-sync', '--no-instructions'];
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  // The default of 4,096 iterations would dominate the time of a connection.
  const all = [...args, ...locale, '--set=scram_iterations=1', `--pwfile=${passwordFile}`, data];
  await promisify(execFile)(setting.binaries.initdb, all, spawnOptions({ data, owner, ...setting }));
}

function spawnOptions({ binaries, folder, owner }: Setting) {
  const { libraries } = binaries;
  const env = { PATH: process.env['PATH'], LC_ALL: 'C', LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries };
  return { env, cwd: folder, ...owner };
}

type Running = { child: ChildProcess; port: number };

async function runServer(setting: Setting, tries = TRIES): Promise<Running> {
  const port = setting.port === 0 ? await findPort() : setting.port;
  const flags = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(setting.binaries.postgres, ['-D', setting.data, '-p', String(port), ...flags], {
    ...spawnOptions(setting),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = await untilReady(child);
  if (said === undefined) return { child, port };
  if (tries > 1 && /Address already in use/.test(said)) return runServer(setting, tries - 1);
  throw new Error(`The PostgreSQL server of the tests did not start: ${said}`);
}

/** Waits until the server accepts connections and returns undefined, or returns its output if it exited first. */
async function untilReady(child: ChildProcess): Promise<string | undefined> {
  let said = '';
  const ready = new Promise<undefined>((resolve) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('ready to accept connections')) resolve(undefined);
      // Further output is discarded, but must be read so that the server does not block.
      if (said.length > 65_536) said = said.slice(-1024);
    });
  });
  return Promise.race([ready, once(child, 'close').then(() => said)]);
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function describeServer(setting: Setting, first: Running, guard: { end(): void }): PostgresServer {
  const { port } = first;
  let child: ChildProcess | undefined = first.child;
  let databases = 0;
  const urlOf = (database: string) => `postgresql://postgres:${PASSWORD}@127.0.0.1:${port}/${database}`;
  const query = async (sql: string, url = urlOf('postgres')) => {
    const client = postgres(url, { max: 1, onnotice: () => undefined });
    try {
      return [...(await client.unsafe(sql))];
    } finally {
      await client.end();
    }
  };
  const stop = async () => {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null) return;
    // An immediate shutdown that still releases shared memory.
    ending.kill('SIGQUIT');
    await once(ending, 'close');
  };
  const remove = async () => {
    await stop();
    await rm(setting.folder, { recursive: true, force: true, maxRetries: 5 });
    guard.end();
  };
  return {
    port,
    url: urlOf('postgres'),
    password: PASSWORD,
    async createDatabase() {
      databases += 1;
      await query(`CREATE DATABASE test_${databases}`);
      return urlOf(`test_${databases}`);
    },
    query,
    stop,
    async start() {
      ({ child } = await runServer({ ...setting, port }));
    },
    remove,
    [Symbol.asyncDispose]: remove,
  };
}
