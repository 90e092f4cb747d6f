import { HermesError } from '../base/index.ts';

export type GitOptions = {
  directory: string;
  /** The complete environment of git; nothing is inherited. */
  env: Readonly<Record<string, string>>;
  input?: string | Uint8Array | undefined;
  signal?: AbortSignal | undefined;
  /** Called with each chunk of output; returning true kills git. */
  shouldStop?(output: Buffer): boolean;
};
export type GitResult = { code: number; output: Buffer; errors: string };

/** Limit for the stored part of stderr, in characters. */
const MAX_ERRORS = 4_000;

/** Runs git until it exits. Rejects if it cannot be started, and with the signal's reason if the signal is aborted. */
export async function runGit(args: readonly string[], options: GitOptions): Promise<GitResult> {
  const { directory, env, input, signal, shouldStop } = options;
  signal?.throwIfAborted();
  const { spawn } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, {
      cwd: directory,
      env,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const output: Buffer[] = [];
    let errors = '';
    const stop = () => child.kill('SIGKILL');
    signal?.addEventListener('abort', stop, { once: true });
    child.stdout?.on('data', (bytes: Buffer) => {
      output.push(bytes);
      if (shouldStop?.(bytes)) stop();
    });
    child.stderr?.on('data', (bytes: Buffer) => {
      if (errors.length < MAX_ERRORS) errors += bytes.toString();
    });
    // Ignored: if git exits without reading stdin, its own error message says why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    child.once('error', (thrown) => {
      signal?.removeEventListener('abort', stop);
      reject(explainStartError(thrown));
    });
    child.once('close', (code) => {
      signal?.removeEventListener('abort', stop);
      if (signal?.aborted) reject(signal.reason as Error);
      else resolve({ code: code ?? -1, output: Buffer.concat(output), errors: errors.trim() });
    });
  });
}

function explainStartError(thrown: Error): Error {
  if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') return thrown;
  return new HermesError('git was not found.', { hint: 'Install git and make sure that it is in the PATH.' });
}

/**
 * Variables that select the repository git works on. If Hermes runs inside a git hook, they refer to the repository
 * of that hook.
 */
const REPOSITORY_VARIABLE =
  /^GIT_(?:DIR|WORK_TREE|IMPLICIT_WORK_TREE|COMMON_DIR|INDEX_FILE|PREFIX|NAMESPACE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|QUARANTINE_PATH|GRAFT_FILE|SHALLOW_FILE|REPLACE_REF_BASE|NO_REPLACE_OBJECTS|CONFIG|CONFIG_PARAMETERS|CONFIG_COUNT|CONFIG_KEY_\d+|CONFIG_VALUE_\d+|INTERNAL_SUPER_PREFIX|REFLOG_ACTION)$/;

/** The environment without the variables of a surrounding git process. */
export function withoutRepositoryVariables(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || REPOSITORY_VARIABLE.test(name) ? [] : [[name, value]],
    ),
  );
}
