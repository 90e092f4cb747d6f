import type { ChildProcess } from 'node:child_process';
import { HermesError, type JsonObject } from '../../base/index.ts';
import { childEnvironment } from '../../environments/index.ts';

export type HookRun = {
  command: string;
  payload: JsonObject;
  workingDirectory: string;
  timeoutSeconds: number;
  /** Names of variables that commands get although they look like secrets. */
  passedVariables: readonly string[];
  signal: AbortSignal;
};

export type HookOutput = { code: number; output: string; errors: string };

const MOST_OUTPUT = 1024 * 1024;
const MOST_ERRORS = 4_000;

/** Runs a command with its payload on standard input. All that it started ends with its time, or with ours. */
export async function runHook(run: HookRun): Promise<HookOutput> {
  run.signal.throwIfAborted();
  const { spawn } = await import('node:child_process');
  // A group of its own, so that whatever it starts ends with it.
  const child = spawn('/bin/sh', ['-c', run.command], {
    cwd: run.workingDirectory,
    env: childEnvironment(process.env, run.passedVariables),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // One that does not read what it is given ends on its own.
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${JSON.stringify(run.payload)}\n`);
  let [output, errors] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MOST_ERRORS);
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.length > MOST_OUTPUT) endAll(child);
  });
  const code = await untilEnd(child, run);
  if (output.length > MOST_OUTPUT) throw new HermesError('it printed more than 1 MB');
  return { code, output, errors };
}

function untilEnd(child: ChildProcess, { timeoutSeconds, signal }: HookRun): Promise<number> {
  return new Promise((resolve, reject) => {
    const stop = (why: string) => {
      endAll(child);
      reject(new HermesError(why));
    };
    const onAbort = () => stop('it was stopped with the turn or the program');
    const timer = setTimeout(() => stop(`it took longer than ${timeoutSeconds} s`), timeoutSeconds * 1000);
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    child.once('error', (fault) => {
      settle();
      reject(fault);
    });
    child.once('close', (code) => {
      settle();
      resolve(code ?? -1);
    });
  });
}

function endAll(child: ChildProcess): void {
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody is left in the group.
    child.kill('SIGKILL');
  }
}
