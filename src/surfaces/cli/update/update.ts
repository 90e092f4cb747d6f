import type { ExecException } from 'node:child_process';
import { existsSync } from 'node:fs';
import { HermesError, parseJson } from '../../../base/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { printable } from '../style.ts';
import { VERSION } from '../version.ts';

export type UpdateOptions = { check?: boolean; json?: boolean };

const PACKAGE = 'hermes-agent-ts';

/** Reports a newer version but never installs it, because that depends on how Hermes was installed. */
export async function showUpdate({ check, json }: UpdateOptions, io: CliIo, signal: AbortSignal): Promise<number> {
  const command = howToUpdate();
  if (!check) {
    if (json) writeJson(io.stdout, { version: VERSION, command });
    else
      io.stdout.write(
        `The current version is ${VERSION}. Update with: ${command}\nRun \`hermes update --check\` to check for a newer version.\n`,
      );
    return 0;
  }
  const answer = await askRegistry(PACKAGE, io, signal);
  if ('fault' in answer) throw new HermesError(answer.fault, { hint: answer.hint });
  const newer = isNewer(answer.version, VERSION);
  if (json) writeJson(io.stdout, { version: VERSION, newest: answer.version, newer, command });
  else if (newer)
    io.stdout.write(
      printable(`Version ${answer.version} is available; the current version is ${VERSION}. Update with: ${command}\n`),
    );
  else
    io.stdout.write(
      printable(
        `The current version is ${VERSION}; no newer version is available (the registry has ${answer.version}).\n`,
      ),
    );
  return 0;
}

/** A Git checkout is updated differently from an installed package. */
function howToUpdate(): string {
  const isCheckout = existsSync(new URL('../.git', import.meta.url));
  return isCheckout ? 'git pull && npm ci' : `npm install -g ${PACKAGE}@latest`;
}

type Answer = { version: string } | { fault: string; hint: string };

const TIMEOUT_MS = 30_000;
/** No retries and a short timeout, because the user is waiting; and npm must not check for its own updates. */
const ARGUMENTS = ['--json', '--fetch-retries=0', '--fetch-timeout=15000', '--loglevel=error', '--no-update-notifier'];

/** Asks for the latest version with npm, which uses the user's registry, proxy and login. */
async function askRegistry(name: string, io: CliIo, signal: AbortSignal): Promise<Answer> {
  const { execFile } = await import('node:child_process');
  const { promise, resolve } = Promise.withResolvers<{ error: ExecException | null; stdout: string; stderr: string }>();
  const options = { env: io.env, cwd: io.workingDirectory, timeout: TIMEOUT_MS, signal };
  execFile('npm', ['view', name, 'version', ...ARGUMENTS], options, (error, stdout, stderr) =>
    resolve({ error, stdout, stderr }),
  );
  const { error, stdout, stderr } = await promise;
  signal.throwIfAborted();
  const answer = parseJson(stdout) as { error?: { code?: string; summary?: string } } | string | undefined;
  if (error === null && typeof answer === 'string') return { version: answer };
  return explain(name, error, typeof answer === 'object' ? answer.error : undefined, stderr);
}

function explain(
  name: string,
  error: ExecException | null,
  said: { code?: string; summary?: string } | undefined,
  stderr: string,
): Answer {
  if (error?.code === 'ENOENT') {
    return {
      fault: 'npm was not found, so the latest version is unknown.',
      hint: 'Install npm, or check the web page of the package.',
    };
  }
  if (said?.code === 'E404') {
    return {
      fault: `Could not check for updates: the npm registry has no package "${name}".`,
      hint: 'Check the registry in use with: npm config get registry',
    };
  }
  const reason = [said?.code, said?.summary ?? stderr.trim().split('\n')[0]].filter(Boolean).join(': ') || 'no answer';
  return {
    fault: `Could not query the registry (${redactSecrets(reason)}), so the latest version is unknown.`,
    hint: 'Check the connection and `npm config get registry`, then try again.',
  };
}

/** Whether a version is newer than another; a suffix after a hyphen marks a pre-release. */
export function isNewer(candidate: string, current: string): boolean {
  const [a, b] = [read(candidate), read(current)];
  const at = [0, 1, 2].find((index) => a.numbers[index] !== b.numbers[index]);
  if (at !== undefined) return (a.numbers[at] ?? 0) > (b.numbers[at] ?? 0);
  return b.isEarly && !a.isEarly;
}

function read(version: string): { numbers: number[]; isEarly: boolean } {
  const [plain = '', early] = version.replace(/^v|\+.*$/g, '').split('-', 2);
  return { numbers: plain.split('.').map((part) => Number.parseInt(part, 10) || 0), isEarly: early !== undefined };
}
