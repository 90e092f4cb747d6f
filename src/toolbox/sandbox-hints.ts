import type { CommandResult, Environment } from '../contracts/index.ts';
import { hasFailed } from './command-ending.ts';

/** Errors of a write to a read-only place, or to a mount point such as `.git/config`. */
const READ_ONLY = /Read-only file system|\bEROFS\b|Device or resource busy|\bEBUSY\b|Permission denied|\bEACCES\b/i;
const NO_NETWORK =
  /Network is unreachable|\bENETUNREACH\b|Could not resolve host|Temporary failure in name resolution|\bEAI_AGAIN\b|\bENOTFOUND\b|Name or service not known|Connection refused|\bECONNREFUSED\b|Failed to connect/i;

/** Says that the sandbox may be the reason of a failure and how to leave it; undefined if it is probably not. */
export function explainSandbox(
  result: Pick<CommandResult, 'output' | 'ended' | 'exitCode'>,
  command: string,
  { sandbox }: Pick<Environment, 'sandbox'>,
): string | undefined {
  if (sandbox === undefined || !hasFailed(result, command)) return undefined;
  const causes = [
    READ_ONLY.test(result.output) ? 'only the working directory and /tmp are writable' : undefined,
    !sandbox.network && NO_NETWORK.test(result.output) ? 'there is no network' : undefined,
  ].filter((cause) => cause !== undefined);
  if (causes.length === 0) return undefined;
  return `the sandbox may be the cause: ${causes.join(', and ')}. If the command must run outside, call terminal with outside_sandbox: true`;
}

/** Errors of a script that used a file which is read-only, hidden or not in its private /tmp. */
const SCRIPT_ERRORS =
  /\bEROFS\b|Read-only file system|(?:ENOENT|No such file)[^\n]*\/(?:tmp\/|\.(?:ssh|aws|gnupg|kube|docker|config|hermes)\b)/i;

/** Says that the sandbox may be the reason why a script failed. */
export function explainScriptSandbox(errors: string, workingDirectory: string): string | undefined {
  if (!SCRIPT_ERRORS.test(errors)) return undefined;
  return `scripts run in a sandbox: they can write only to ${workingDirectory} and a private /tmp, and credentials are hidden. Use tools for other files`;
}
