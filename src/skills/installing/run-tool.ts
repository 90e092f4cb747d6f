import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { HermesError } from '../../base/index.ts';
import { killProcessGroup } from '../../environments/index.ts';
import { shorten } from '../../util/index.ts';

export type ToolRun = {
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
};

type Child = ChildProcessByStdio<null, Readable, Readable>;

const TIMEOUT_MS = 180_000;
const MAX_OUTPUT = 8 * 1024 * 1024;

/** Runs git or npm with nothing to read and nobody to ask; what it printed. What it says about a failure is told. */
export async function runTool(
  program: string,
  args: readonly string[],
  { folder, env, signal }: ToolRun,
): Promise<string> {
  signal.throwIfAborted();
  // A group of its own, so that whatever it starts ends with it.
  const child = spawn(program, [...args], {
    cwd: folder,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.length > MAX_OUTPUT) killProcessGroup(child);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4_000);
  });
  const code = await untilEnd(child, `${program} ${verbOf(args)}`, signal).catch((thrown: NodeJS.ErrnoException) => {
    throw thrown.code === 'ENOENT' ? notInstalled(program) : thrown;
  });
  signal.throwIfAborted();
  if (output.length > MAX_OUTPUT)
    throw new HermesError(`${program} ${verbOf(args)} printed more than ${MAX_OUTPUT / 1024 / 1024} MB.`);
  if (code === 0) return output;
  const reason = shorten(withoutCredentials(errors), 600) || `it ended with code ${code ?? 'unknown'}`;
  throw new HermesError(`${program} ${verbOf(args)} failed: ${reason}`);
}

async function untilEnd(child: Child, what: string, signal: AbortSignal): Promise<number | null> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
    const stop = () => {
      killProcessGroup(child);
      reject(signal.aborted ? (signal.reason as Error) : new HermesError(`${what} did not come to an end in time.`));
    };
    limit.addEventListener('abort', stop, { once: true });
  });
}

/** What the program was to do: `fetch`, behind the settings that git is given before it. */
function verbOf(args: readonly string[]): string {
  return args.find((arg, place) => !arg.startsWith('-') && args[place - 1] !== '-c') ?? '';
}

function notInstalled(program: string): HermesError {
  return new HermesError(`${program} is not installed, and it is needed to fetch this.`, {
    hint: 'Install it, or fetch the folder yourself and install that.',
  });
}

/** What stands before an @ in an address may be a password. */
function withoutCredentials(text: string): string {
  return text.replace(/(\w+:\/\/)[^\s/@]{1,300}@/g, '$1');
}
