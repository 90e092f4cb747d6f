import { existsSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '../../src/base/index.ts';
import type { CliIo } from '../../src/surfaces/cli/cli-io.ts';
import { type HermesOptions, runHermes as spawnHermes } from '../../src/testing/index.ts';

export type RunOptions = HermesOptions & {
  /** Runs the command in a separate process, for signals, kills, Node options and Node's own exit codes. */
  spawn?: boolean;
  /** The clock of the command. With a clock, the command runs in this process. */
  clock?: Clock;
};

/** A clock for tests that wait for retries: a sleep takes a hundredth of its time. */
export const fastClock: Clock = {
  now: () => systemClock.now(),
  sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / 100, signal),
};

export type RunExit = { exitCode: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

type Main = (argv: readonly string[], io: CliIo) => Promise<number>;

/** A command changes the working directory and the environment of this process, so only one runs in it at a time. */
let isRunning = false;

/**
 * Runs the built command in this process, which takes a tenth of the CPU time of a new process. A command that is
 * started while another one is running gets a separate process.
 */
export async function runHermes(args: readonly string[], options: RunOptions): Promise<RunExit> {
  const { spawn = false, clock, ...rest } = options;
  if (spawn || isRunning || needsOwnProcess(rest)) {
    if (clock !== undefined) throw new Error('A command in a separate process cannot use the clock of a test.');
    return spawnHermes(args, rest);
  }
  isRunning = true;
  const leaveProcess = enterProcess(rest);
  try {
    return await runInProcess(args, rest, clock);
  } finally {
    leaveProcess();
    isRunning = false;
  }
}

function needsOwnProcess({ node, script, env = {} }: HermesOptions): boolean {
  return node !== undefined || script !== undefined || Object.keys(env).some((name) => name.startsWith('NODE_'));
}

async function runInProcess(args: readonly string[], options: HermesOptions, clock = systemClock): Promise<RunExit> {
  const { input = '', timeoutMs = 60_000, home, cwd = home.workspace } = options;
  const { main } = createRequire(import.meta.url)('../../dist/cli.js') as { main: Main };
  const [stdout, stderr] = [collectText(), collectText()];
  const io: CliIo = {
    stdin: new PassThrough().end(input),
    inputKind: 'socket',
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: process.env,
    workingDirectory: cwd,
    clock,
  };
  const exitListeners = new Set(process.listeners('exit'));
  const openBefore = openFilesIn(home.path);
  const running = main(args, io);
  const exitCode = await withTimeout(running, timeoutMs, () => {
    const tail = `stdout: ${stdout.text().slice(-2000)}\nstderr: ${stderr.text().slice(-2000)}`;
    return new Error(`hermes ${args.join(' ')} timed out after ${timeoutMs} ms.\n${tail}`);
  });
  // The tasks that the command would have run at process exit.
  for (const listener of process.listeners('exit')) {
    if (exitListeners.has(listener)) continue;
    process.off('exit', listener);
    listener.call(process, exitCode);
  }
  await expectNoOpenFiles(home.path, openBefore, args);
  return { exitCode, signal: null, stdout: stdout.text(), stderr: stderr.text() };
}

/** Sets the environment and working directory of this process to those of a separate process. */
function enterProcess({ home, env, cwd = home.workspace }: HermesOptions): () => void {
  const before = { variables: { ...process.env }, directory: process.cwd() };
  const { PATH = '', TMPDIR } = process.env;
  replaceVariables({
    PATH,
    ...(TMPDIR !== undefined && { TMPDIR }),
    HOME: home.userHome,
    HERMES_HOME: home.path,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    ...env,
  });
  process.chdir(cwd);
  makeCompileCache();
  return () => {
    process.chdir(before.directory);
    replaceVariables(before.variables);
  };
}

/** Creates the compile cache folder, as `bin/hermes.js` does in an existing home. */
function makeCompileCache(): void {
  const home = process.env['HERMES_HOME'] ?? '';
  try {
    if (existsSync(home)) mkdirSync(join(home, 'cache', 'compile'), { recursive: true, mode: 0o700 });
  } catch {
    // The home is read-only or not a folder.
  }
}

function replaceVariables(variables: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (variables[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) process.env[name] = value;
}

function collectText(): { stream: Writable; text(): string } {
  const pieces: Buffer[] = [];
  const stream = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(pieces).toString('utf8') };
}

async function withTimeout<T>(work: Promise<T>, milliseconds: number, describe: () => Error): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(describe()), milliseconds);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** How long background work of a command may take to close its files. */
const CLOSE_TIMEOUT_MS = 5000;

/** Fails if a command left files open. In a separate process they would be closed at exit, but here they stay open. */
async function expectNoOpenFiles(folder: string, before: ReadonlySet<string>, args: readonly string[]): Promise<void> {
  const deadline = Date.now() + CLOSE_TIMEOUT_MS;
  // Files that were open before are ignored, because SQLite closes no file of a database that the test itself has
  // open.
  const findNew = () => [...openFilesIn(folder)].filter((file) => !before.has(file));
  let open = findNew();
  while (open.length > 0 && Date.now() < deadline) {
    await sleep(2);
    open = findNew();
  }
  if (open.length > 0) throw new Error(`hermes ${args.join(' ')} left files open:\n${open.join('\n')}`);
}

function openFilesIn(folder: string): ReadonlySet<string> {
  const files = readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${descriptor}`);
      return file.startsWith(`${folder}/`) ? [file] : [];
    } catch {
      return [];
    }
  });
  return new Set(files);
}
