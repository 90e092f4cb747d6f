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
  /** Of the administrator, with its password in it; a test that looks for leaks can search for that. */
  readonly url: string;
  readonly password: string;
  /** A new, empty database; its URL. */
  createDatabase(): Promise<string>;
  /** Runs one statement as the administrator, in the database of a URL or in the first one. */
  query(sql: string, url?: string): Promise<Record<string, unknown>[]>;
  /** Ends the server as if the machine had lost it: no connection is told why. The data stays. */
  stop(): Promise<void>;
  /** Starts it again at the same port. */
  start(): Promise<void>;
  /** Ends it and removes everything of it. */
  remove(): Promise<void>;
};

type Setting = { folder: string; data: string; port: number; binaries: Binaries; owner: Owner | undefined };
type Owner = { uid: number; gid: number };

/** The server refuses to run as root; this user is there on every system and owns nothing. */
const NOBODY: Owner = { uid: 65_534, gid: 65_534 };
const PASSWORD = 'walrus-secret-7f';
/** A folder that the servers of one test run share; without it each one makes its own cluster. */
const TEMPLATE_VARIABLE = 'HERMES_TEST_POSTGRES';
const TEMPLATE_TIMEOUT_MS = 60_000;
/** Another program can take a port between the moment it was found and the one in which it is bound. */
const TRIES = 5;

// Nothing has to survive a power cut. What processes share lies in files of the folder, so that nothing stays elsewhere.
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

/** A PostgreSQL of its own for a test file, on loopback and a free port. It ends with the process that asked for it. */
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

/** Makes the cluster that all servers of a test run begin with. The first to make the folder does it, others wait. */
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
  // The usual 4,096 iterations would be most of the time of a connection.
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
  throw new Error(`The PostgreSQL of the tests did not start: ${said}`);
}

/** Undefined when it takes connections, else what it said before it ended. */
async function untilReady(child: ChildProcess): Promise<string | undefined> {
  let said = '';
  const ready = new Promise<undefined>((resolve) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('ready to accept connections')) resolve(undefined);
      // Nobody reads more of it, but it must be able to go on writing.
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
    // At once, but in order: it gives back what it shared with its own processes.
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
