import { spawn } from 'node:child_process';
import { HermesError } from '../../base/index.ts';
import { shorten } from '../../util/index.ts';

export type ToolRun = {
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
};

const TIMEOUT_MS = 180_000;
const MOST_OUTPUT = 8 * 1024 * 1024;

/** Runs git or npm with nothing to read and nobody to ask; what it printed. What it says about a failure is told. */
export async function runTool(
  program: string,
  args: readonly string[],
  { folder, env, signal }: ToolRun,
): Promise<string> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const child = spawn(program, [...args], {
    cwd: folder,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: limit,
    // Whoever is stopped may be stuck, and then does not listen to anything milder.
    killSignal: 'SIGKILL',
  });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.length <= MOST_OUTPUT) return;
    child.kill('SIGKILL');
    child.stdout.destroy();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4_000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (thrown: NodeJS.ErrnoException) => {
      // What it started may hold the other ends for long, and nobody reads them any more.
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
      reject(notStarted(program, thrown, signal));
    });
    child.on('close', resolve);
  });
  signal.throwIfAborted();
  if (output.length > MOST_OUTPUT)
    throw new HermesError(`${program} ${verbOf(args)} printed more than ${MOST_OUTPUT / 1024 / 1024} MB.`);
  if (code === 0) return output;
  const reason = shorten(withoutCredentials(errors), 600) || `it ended with code ${code ?? 'unknown'}`;
  throw new HermesError(`${program} ${verbOf(args)} failed: ${reason}`);
}

/** What the program was to do: `fetch`, behind the settings that git is given before it. */
function verbOf(args: readonly string[]): string {
  return args.find((arg, place) => !arg.startsWith('-') && args[place - 1] !== '-c') ?? '';
}

function notStarted(program: string, thrown: NodeJS.ErrnoException, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (thrown.code === 'ENOENT')
    return new HermesError(`${program} is not installed, and it is needed to fetch this.`, {
      hint: 'Install it, or fetch the folder yourself and install that.',
    });
  return new HermesError(`${program} did not come to an end: ${thrown.message}.`);
}

/** What stands before an @ in an address may be a password. */
function withoutCredentials(text: string): string {
  return text.replace(/(\w+:\/\/)[^\s/@]{1,300}@/g, '$1');
}
