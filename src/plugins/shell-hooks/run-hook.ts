import type { ChildProcessWithoutNullStreams as Child } from 'node:child_process';
import { HermesError, type JsonObject } from '../../base/index.ts';
import { childEnvironment, killProcessGroup } from '../../environments/index.ts';

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

const MAX_OUTPUT = 1024 * 1024;
const MAX_ERRORS = 4_000;
/** How long its output may be silent behind its end before it counts as whole. */
const SILENCE_MS = 200;

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
    errors = (errors + text).slice(-MAX_ERRORS);
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.length > MAX_OUTPUT) killProcessGroup(child);
  });
  const code = await untilEnd(child, run);
  if (output.length > MAX_OUTPUT) throw new HermesError('it printed more than 1 MB');
  return { code, output, errors };
}

function untilEnd(child: Child, { timeoutSeconds, signal }: HookRun): Promise<number> {
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
      // One that has ended has said what it had to say.
      settle(() => (code === undefined ? reject(new HermesError(why)) : resolve(code)));
    };
    const onAbort = () => stop('it was stopped with the turn or the program');
    const timer = setTimeout(() => stop(`it took longer than ${timeoutSeconds} s`), timeoutSeconds * 1000);
    signal.addEventListener('abort', onAbort, { once: true });
    child.once('error', (fault) => settle(() => reject(fault)));
    child.once('exit', (exitCode) => {
      code = exitCode ?? -1;
      whenSilent(child, over.signal, () => stop('something that it started holds its output'));
    });
    child.once('close', (exitCode) => settle(() => resolve(exitCode ?? -1)));
  });
}

/** What a command left in the background may hold its output for ever, and is no reason to wait for what it said itself. */
function whenSilent({ stdout, stderr }: Child, over: AbortSignal, act: () => void): void {
  let heard = 0;
  const timer = setTimeout(() => {
    const before = heard;
    // What waits to be read comes first: it may be this program that was slow.
    setImmediate(() => (heard === before && !over.aborted ? act() : undefined));
  }, SILENCE_MS);
  for (const stream of [stdout, stderr]) {
    stream.on('data', () => {
      heard += 1;
      if (!over.aborted) timer.refresh();
    });
  }
  over.addEventListener('abort', () => clearTimeout(timer), { once: true });
}
