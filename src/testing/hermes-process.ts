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
  /** Given to standard input, which is then closed. */
  input?: string;
  /** Added to an environment that otherwise holds only what every program needs. */
  env?: Record<string, string>;
  /** The workspace of the home by default. */
  cwd?: string;
  /** The Node that runs it; the one that runs the test by default. */
  node?: string;
  /** How long it may take before it is killed and the promise rejects: 30 s by default. */
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
   * Resolves with the match as soon as either output has it. Every call goes on behind the match before, so that the
   * same prompt can be waited for again. Rejects where the process ends first.
   */
  waitForOutput(pattern: string | RegExp): Promise<string>;
  write(text: string): void;
  closeInput(): void;
  kill(signal?: NodeJS.Signals): void;
  /** Resolves when the process has ended and all output has been read. */
  readonly exited: Promise<HermesExit>;
};

/** Starts the command and leaves it running. Its time limit is the test's own, unless one is given. */
export function startHermes(args: readonly string[], options: HermesOptions): HermesProcess {
  const script = options.script ?? join(findPackageRoot(), 'bin', 'hermes.js');
  const child = spawn(options.node ?? process.execPath, [script, ...args], {
    cwd: options.cwd ?? options.home.workspace,
    env: cleanEnvironment(options),
    stdio: 'pipe',
  });
  const outputs = { stdout: createOutputWatch(child.stdout), stderr: createOutputWatch(child.stderr) };
  // A process that ends without reading its input is no error of the test.
  child.stdin.on('error', () => undefined);
  if (options.input !== undefined) child.stdin.end(options.input);
  const exited = untilExit(child, outputs, options.timeoutMs, args);
  // Who never looks at the end of a process must not be ended by it.
  exited.catch(() => undefined);
  options.home.beforeRemoval(() => endNow(child));
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

/** A process that outlives its test would make its home again by writing into it. */
async function endNow(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Runs the command to its end. Standard input is empty unless some is given. */
export function runHermes(args: readonly string[], options: HermesOptions): Promise<HermesExit> {
  const { input = '', timeoutMs = 30_000 } = options;
  return startHermes(args, { ...options, input, timeoutMs }).exited;
}

type Outputs = { stdout: OutputWatch; stderr: OutputWatch };

/** Which output a line goes to is seldom the point of a test that only waits for it. */
async function waitForEither({ stdout, stderr }: Outputs, pattern: string | RegExp): Promise<string> {
  const stop = new AbortController();
  try {
    return await Promise.any([stdout.waitFor(pattern, stop.signal), stderr.waitFor(pattern, stop.signal)]);
  } catch {
    const tail = `stdout: ${stdout.text().slice(-2000)}\nstderr: ${stderr.text().slice(-2000)}`;
    throw new HermesError(`The process ended before its output had ${String(pattern)}.\n${tail}`);
  } finally {
    stop.abort();
  }
}

/** On `close`, not on `exit`: output may still be in the pipes when the process is gone. */
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
      return reject(new HermesError(`hermes ${args.join(' ')} took over ${timeoutMs} ms and was killed.\n${tail}`));
    });
  });
}

/** Nothing of the developer's own settings or keys may reach a test. */
function cleanEnvironment({ home, env }: HermesOptions): Record<string, string> {
  const { PATH = '', TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return {
    PATH,
    ...(TMPDIR !== undefined && { TMPDIR }),
    // Else each home, being new, would have all compiled again.
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
    HOME: home.userHome,
    HERMES_HOME: home.path,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    ...env,
  };
}

/** Looked for upwards, because this file stands elsewhere in a build than in the sources. */
function findPackageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new HermesError('No package.json above the testing module: is the package complete?');
    folder = above;
  }
  return folder;
}

/** The text of a stream so far, and a way to wait for what comes. */
type OutputWatch = {
  text(): string;
  /** Resolves with the match; rejects at the end of the stream or when the signal says that nobody cares any more. */
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

/** The first match behind `start`, and where it ends. */
function findAfter(text: string, start: number, pattern: string | RegExp) {
  const rest = text.slice(start);
  if (typeof pattern === 'string') {
    const index = rest.indexOf(pattern);
    return index < 0 ? undefined : { match: pattern, end: start + index + pattern.length };
  }
  // Without the flags that make an expression remember where it was.
  const found = new RegExp(pattern.source, pattern.flags.replace(/[gy]/gu, '')).exec(rest);
  return found === null ? undefined : { match: found[0], end: start + found.index + found[0].length };
}
