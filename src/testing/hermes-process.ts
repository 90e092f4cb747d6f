import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { HermesError } from '../base/index.ts';
import type { TemporaryHome } from './temporary-home.ts';

export type HermesOptions = {
  home: TemporaryHome;
  /** Written to stdin, which is then closed. */
  input?: string;
  /** Added to a minimal environment. */
  env?: Record<string, string>;
  /** Default: the workspace of the home. */
  cwd?: string;
  /** The Node executable; default: the one that runs the test. */
  node?: string;
  /** Timeout after which the process is killed and the promise rejects; default 30 s. */
  timeoutMs?: number;
  /** The script to run instead of the package's own command. */
  script?: string;
};

export type HermesExit = {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  child: ChildProcessWithoutNullStreams;
};

export type HermesProcess = {
  readonly child: ChildProcessWithoutNullStreams;
  readonly stdout: string;
  readonly stderr: string;
  /**
   * Resolves with the match as soon as stdout or stderr contains it. Each call searches after the previous match, so
   * that the same prompt can be awaited again. Rejects if the process exits first.
   */
  waitForOutput(pattern: string | RegExp): Promise<string>;
  write(text: string): void;
  closeInput(): void;
  kill(signal?: NodeJS.Signals): void;
  /** Resolves when the process has exited and all output was read. */
  readonly exited: Promise<HermesExit>;
};

/** Starts the command and leaves it running, without a timeout by default. */
export function startHermes(args: readonly string[], options: HermesOptions): HermesProcess {
  const script = options.script ?? join(findPackageRoot(), 'bin', 'hermes.js');
  const child = spawn(options.node ?? process.execPath, [script, ...args], {
    cwd: options.cwd ?? options.home.workspace,
    env: cleanEnvironment(options),
    stdio: 'pipe',
  });
  const outputs = { stdout: createOutputWatch(child.stdout), stderr: createOutputWatch(child.stderr) };
  // The process may exit without reading stdin.
  child.stdin.on('error', () => undefined);
  if (options.input !== undefined) child.stdin.end(options.input);
  const exited = untilExit(child, outputs, options.timeoutMs, args);
  // Avoids an unhandled rejection if the test never awaits it.
  exited.catch(() => undefined);
  options.home.beforeRemoval(() => killAndWait(child));
  return {
    child,
    get stdout() {
      return outputs.stdout.text();
    },
    get stderr() {
      return outputs.stderr.text();
    },
    waitForOutput: (pattern) => waitForEither(outputs, pattern),
    write: (text) => void child.stdin.write(text),
    closeInput: () => void child.stdin.end(),
    kill: (signal = 'SIGTERM') => void child.kill(signal),
    exited,
  };
}

/** A process that outlives its test could create the removed home again by writing to it. */
async function killAndWait(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Runs the command until it exits. stdin is empty by default. */
export function runHermes(args: readonly string[], options: HermesOptions): Promise<HermesExit> {
  const { input = '', timeoutMs = 30_000 } = options;
  return startHermes(args, { ...options, input, timeoutMs }).exited;
}

type Outputs = { stdout: OutputWatch; stderr: OutputWatch };

/** Waits for a match on either stream, because tests rarely care which one a line is on. */
async function waitForEither({ stdout, stderr }: Outputs, pattern: string | RegExp): Promise<string> {
  const stop = new AbortController();
  try {
    return await Promise.any([stdout.waitFor(pattern, stop.signal), stderr.waitFor(pattern, stop.signal)]);
  } catch {
    const tail = `stdout: ${stdout.text().slice(-2000)}\nstderr: ${stderr.text().slice(-2000)}`;
    throw new HermesError(`The process exited before its output contained ${String(pattern)}.\n${tail}`);
  } finally {
    stop.abort();
  }
}

/** Uses `close` and not `exit`, because output may still be in the pipes after the exit. */
function untilExit(
  child: ChildProcessWithoutNullStreams,
  outputs: Outputs,
  timeoutMs: number | undefined,
  args: readonly string[],
): Promise<HermesExit> {
  return new Promise((resolve, reject) => {
    let late = false;
    const stop = () => {
      late = true;
      child.kill('SIGKILL');
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs);
    child.once('error', reject);
    child.once('close', (exitCode, signal) => {
      clearTimeout(timer);
      const [stdout, stderr] = [outputs.stdout.text(), outputs.stderr.text()];
      if (!late) return resolve({ exitCode, signal, stdout, stderr, child });
      const tail = `stdout: ${stdout.slice(-2000)}\nstderr: ${stderr.slice(-2000)}`;
      return reject(
        new HermesError(`hermes ${args.join(' ')} timed out after ${timeoutMs} ms and was killed.\n${tail}`),
      );
    });
  });
}

/** Keeps the developer's settings and keys out of tests. */
function cleanEnvironment({ home, env }: HermesOptions): Record<string, string> {
  const { PATH = '', TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return {
    PATH,
    ...(TMPDIR !== undefined && { TMPDIR }),
    // The tests share a compile cache; otherwise each new home would compile everything again.
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
    HOME: home.userHome,
    HERMES_HOME: home.path,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    ...env,
  };
}

/** Searches upwards, because the depth differs between a build and the sources. */
function findPackageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder)
      throw new HermesError('No package.json found above the testing module: the package is incomplete.');
    folder = above;
  }
  return folder;
}

/** The text of a stream so far, and a way to wait for more. */
type OutputWatch = {
  text(): string;
  /** Resolves with the match; rejects at the end of the stream. An abort removes the waiter. */
  waitFor(pattern: string | RegExp, signal: AbortSignal): Promise<string>;
};

type Waiter = { look(): void; giveUp(): void };

export function createOutputWatch(stream: Readable): OutputWatch {
  let text = '';
  let position = 0;
  let ended = false;
  const waiters = new Set<Waiter>();
  const each = (act: (waiter: Waiter) => void) => [...waiters].forEach(act);
  stream.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    each((waiter) => waiter.look());
  });
  stream.once('close', () => {
    ended = true;
    each((waiter) => waiter.giveUp());
  });
  return {
    text: () => text,
    waitFor: (pattern, signal) =>
      new Promise((resolve, reject) => {
        const forget = () => waiters.delete(waiter);
        const waiter: Waiter = {
          look() {
            const found = findAfter(text, position, pattern);
            if (found === undefined) return;
            position = found.end;
            forget();
            resolve(found.match);
          },
          giveUp() {
            forget();
            reject(new Error('the output ended'));
          },
        };
        waiters.add(waiter);
        signal.addEventListener('abort', forget, { once: true });
        waiter.look();
        if (ended && waiters.has(waiter)) waiter.giveUp();
      }),
  };
}

/** The first match after `start`, and its end. */
function findAfter(text: string, start: number, pattern: string | RegExp) {
  const rest = text.slice(start);
  if (typeof pattern === 'string') {
    const index = rest.indexOf(pattern);
    return index < 0 ? undefined : { match: pattern, end: start + index + pattern.length };
  }
  // Without the flags `g` and `y`, which make an expression stateful.
  const found = new RegExp(pattern.source, pattern.flags.replace(/[gy]/gu, '')).exec(rest);
  return found === null ? undefined : { match: found[0], end: start + found.index + found[0].length };
}
