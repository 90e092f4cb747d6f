import type { ChildProcessWithoutNullStreams as Child } from 'node:child_process';
import { HermesError, type JsonObject } from '../../base/index.ts';
import { whenSilent } from '../../environments/child-exit.ts';
import { childEnvironment, killProcessGroup } from '../../environments/index.ts';

export type HookRun = {
  command: string;
  payload: JsonObject;
  workingDirectory: string;
  timeoutSeconds: number;
  /** Environment variables that are passed on although they look like secrets. */
  passedVariables: readonly string[];
  signal: AbortSignal;
};

export type HookOutput = { code: number; output: string; errors: string };

const MAX_OUTPUT = 1024 * 1024;
const MAX_ERRORS = 4_000;

/** Runs a command with the payload on stdin. Kills its process group on timeout and on abort. */
export async function runHook(run: HookRun): Promise<HookOutput> {
  run.signal.throwIfAborted();
  const { spawn } = await import('node:child_process');
  // A separate process group, so that everything it starts can be killed.
  const child = spawn('/bin/sh', ['-c', run.command], {
    cwd: run.workingDirectory,
    env: childEnvironment(process.env, run.passedVariables),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // A command need not read its stdin.
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${JSON.stringify(run.payload)}\n`);
  let [output, errors] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MAX_ERRORS);
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.length > MAX_OUTPUT) killProcessGroup(child);
  });
  const code = await waitForExit(child, run);
  if (output.length > MAX_OUTPUT) throw new HermesError('its output exceeded 1 MB');
  return { code, output, errors };
}

function waitForExit(child: Child, { timeoutSeconds, signal }: HookRun): Promise<number> {
  return new Promise((resolve, reject) => {
    const over = new AbortController();
    let code: number | undefined;
    const settle = (act: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      over.abort();
      act();
    };
    const stop = (why: string) => {
      killProcessGroup(child);
      // If the command has already exited, its result is used.
      settle(() => (code === undefined ? reject(new HermesError(why)) : resolve(code)));
    };
    const onAbort = () => stop('killed because the turn or Hermes ended');
    const timer = setTimeout(() => stop(`timed out after ${timeoutSeconds} s`), timeoutSeconds * 1000);
    signal.addEventListener('abort', onAbort, { once: true });
    child.once('error', (fault) => settle(() => reject(fault)));
    child.once('exit', (exitCode) => {
      code = exitCode ?? -1;
      // A background process of the command may keep stdout open forever, so only silence is awaited.
      whenSilent(child, over.signal, () => stop('a background process keeps its output open'));
    });
    child.once('close', (exitCode) => settle(() => resolve(exitCode ?? -1)));
  });
}
