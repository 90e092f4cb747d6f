import { spawn } from 'node:child_process';
import { dirname, extname } from 'node:path';
import { HermesError } from '../../../base/index.ts';
import { exitCodeOf } from '../../../environments/child-exit.ts';
import { childEnvironment, createOutputCollector, killProcessGroup } from '../../../environments/index.ts';
import { findScript } from '../../../schedules/index.ts';
import { redactSecrets } from '../../../util/index.ts';

export type ScriptOptions = {
  home: string;
  /** Its path in `scripts/`. */
  script: string;
  workingDirectory: string | undefined;
  timeoutSeconds: number;
  /** Secret variables that it gets nevertheless. */
  passedVariables: readonly string[];
  signal: AbortSignal;
};

type OutputCollector = ReturnType<typeof createOutputCollector>;

const INTERPRETERS: Readonly<Record<string, string>> = {
  '.py': 'python3',
  '.sh': 'sh',
  '.bash': 'bash',
  '.js': process.execPath,
  '.mjs': process.execPath,
  '.ts': process.execPath,
};
const MAX_ERRORS = 1000;
const MAX_OUTPUT = 60_000;

/** Runs a script of a job and returns what it wrote to stdout. Throws `HermesError` if it fails. */
export async function runScript(options: ScriptOptions): Promise<string> {
  const { home, script, timeoutSeconds, signal } = options;
  const file = await findScript(home, script);
  const [program, ...args] = commandFor(file);
  signal.throwIfAborted();
  const child = spawn(program, args, {
    cwd: options.workingDirectory ?? dirname(file),
    env: childEnvironment(process.env, options.passedVariables),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  });
  const [output, errors] = [MAX_OUTPUT, MAX_ERRORS].map((maxOutput) => createOutputCollector({ maxOutput })) as [
    OutputCollector,
    OutputCollector,
  ];
  child.stdout.on('data', output.source());
  child.stderr.on('data', errors.source());
  let stopped: string | undefined;
  const stop = (reason: string) => {
    stopped ??= reason;
    killProcessGroup(child);
  };
  const timer = setTimeout(() => stop(`timed out after ${timeoutSeconds} s`), timeoutSeconds * 1000);
  const onAbort = () => stop('was interrupted, because Hermes stopped');
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const code = await ended(child, program);
    const text = redactSecrets(output.finish().output);
    if (stopped !== undefined) throw new HermesError(`The script ${script} ${stopped}.`);
    if (code === 0) return text;
    const reason = redactSecrets(errors.finish().output).trim();
    throw new HermesError(`The script ${script} failed with exit code ${code ?? 'unknown'}.${reason && `\n${reason}`}`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** The program and its arguments. Files of other kinds must be executable themselves. */
function commandFor(file: string): [string, ...string[]] {
  const interpreter = INTERPRETERS[extname(file).toLowerCase()];
  return interpreter === undefined ? [file] : [interpreter, file];
}

function ended(child: ReturnType<typeof spawn>, program: string): Promise<number | null> {
  return exitCodeOf(child).catch((thrown: NodeJS.ErrnoException) => {
    throw new HermesError(`${program} could not be started: ${thrown.code ?? thrown.message}.`);
  });
}
