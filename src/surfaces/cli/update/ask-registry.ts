import type { ExecException } from 'node:child_process';
import { parseJson } from '../../../base/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';

type Answer = { version: string } | { fault: string; hint: string };

const TIMEOUT_MS = 30_000;
/** Once, and not for minutes: somebody waits. And npm is not asked about itself. */
const ARGUMENTS = ['--json', '--fetch-retries=0', '--fetch-timeout=15000', '--loglevel=error', '--no-update-notifier'];

/** The newest version of a package, asked by npm itself: with the registry, proxy and login that the person gave it. */
export async function askRegistry(name: string, io: CliIo, signal: AbortSignal): Promise<Answer> {
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
