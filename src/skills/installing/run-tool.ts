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

/** Runs git or npm without stdin and returns its stdout. On failure the error contains its stderr. */
export async function runTool(
  program: string,
  args: readonly string[],
  { folder, env, signal }: ToolRun,
): Promise<string> {
  signal.throwIfAborted();
  // A separate process group, so that its child processes are killed with it.
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
  const code = await waitForExit(child, `${program} ${subcommandOf(args)}`, signal).catch(
    (thrown: NodeJS.ErrnoException) => {
      throw thrown.code === 'ENOENT' ? notInstalled(program) : thrown;
    },
  );
  signal.throwIfAborted();
  if (output.length > MAX_OUTPUT)
    throw new HermesError(`${program} ${subcommandOf(args)} printed more than ${MAX_OUTPUT / 1024 / 1024} MB.`);
  if (code === 0) return output;
  const reason = shorten(withoutCredentials(errors), 600) || `exit code ${code ?? 'unknown'}`;
  throw new HermesError(`${program} ${subcommandOf(args)} failed: ${reason}`, {
    hint: 'Check the source, your permissions for it and the network connection, then try again.',
  });
}

async function waitForExit(child: Child, what: string, signal: AbortSignal): Promise<number | null> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
    const stop = () => {
      killProcessGroup(child);
      reject(
        signal.aborted ? (signal.reason as Error) : new HermesError(`${what} timed out after ${TIMEOUT_MS / 1000} s.`),
      );
    };
    limit.addEventListener('abort', stop, { once: true });
  });
}

/** The subcommand, such as `fetch`, after the `-c` options of git. */
function subcommandOf(args: readonly string[]): string {
  return args.find((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c') ?? '';
}

function notInstalled(program: string): HermesError {
  return new HermesError(`${program} is required to download this, but it is not installed.`, {
    hint: 'Install it, or download the folder yourself and install that.',
  });
}

/** The user info of a URL may contain a password. */
function withoutCredentials(text: string): string {
  return text.replace(/(\w+:\/\/)[^\s/@]{1,300}@/g, '$1');
}
