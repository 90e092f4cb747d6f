import type { ExecException } from 'node:child_process';
import { existsSync } from 'node:fs';
import { HermesError, parseJson } from '../../../base/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { showable } from '../style.ts';
import { VERSION } from '../version.ts';

export type UpdateOptions = { check?: boolean; json?: boolean };

const PACKAGE = 'hermes-agent-ts';

/** A newer version is told, never installed: that is for whoever installed this one. */
export async function showUpdate({ check, json }: UpdateOptions, io: CliIo, signal: AbortSignal): Promise<number> {
  const command = howToUpdate();
  if (!check) {
    if (json) writeJson(io.stdout, { version: VERSION, command });
    else
      io.stdout.write(
        `This is ${VERSION}. Update with: ${command}\n\`hermes update --check\` asks for the newest version.\n`,
      );
    return 0;
  }
  const answer = await askRegistry(PACKAGE, io, signal);
  if ('fault' in answer) throw new HermesError(answer.fault, { hint: answer.hint });
  const newer = isNewer(answer.version, VERSION);
  if (json) writeJson(io.stdout, { version: VERSION, newest: answer.version, newer, command });
  else if (newer)
    io.stdout.write(showable(`${answer.version} is there; this is ${VERSION}. Update with: ${command}\n`));
  else
    io.stdout.write(showable(`This is ${VERSION}, and there is nothing newer (the registry has ${answer.version}).\n`));
  return 0;
}

/** A checkout is brought up to date in another way than an installed package. */
function howToUpdate(): string {
  const isCheckout = existsSync(new URL('../.git', import.meta.url));
  return isCheckout ? 'git pull && npm ci' : `npm install -g ${PACKAGE}@latest`;
}

type Answer = { version: string } | { fault: string; hint: string };

const TIMEOUT_MS = 30_000;
/** Once, and not for minutes: somebody waits. And npm is not asked about itself. */
const ARGUMENTS = ['--json', '--fetch-retries=0', '--fetch-timeout=15000', '--loglevel=error', '--no-update-notifier'];

/** The newest version of a package, asked by npm itself: with the registry, proxy and login that the person gave it. */
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
      fault: 'npm is not there, so nobody could be asked.',
      hint: 'Install npm, or look at the page of the package.',
    };
  }
  if (said?.code === 'E404') {
    return {
      fault: `The registry does not know ${name}.`,
      hint: 'See which registry is asked with: npm config get registry',
    };
  }
  const reason = [said?.code, said?.summary ?? stderr.trim().split('\n')[0]].filter(Boolean).join(': ') || 'no answer';
  return {
    fault: `The registry could not be asked (${redactSecrets(reason)}), so it is not known whether there is a newer version.`,
    hint: 'Check the connection and `npm config get registry`, and try again.',
  };
}

/** Whether a version comes after another; what stands behind a hyphen makes it an earlier one. */
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
