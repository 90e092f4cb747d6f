import type { CommandResult, Environment } from '../contracts/index.ts';
import { sandboxProgram } from '../util/index.ts';
import { hasFailed } from './command-ending.ts';

/** Errors of a write to a read-only place, or to a mount point such as `.git/config`. */
const READ_ONLY = /Read-only file system|\bEROFS\b|Device or resource busy|\bEBUSY\b|Permission denied|\bEACCES\b/i;
/** Seatbelt denies with another error, and hides files instead of replacing them. */
const NOT_PERMITTED = /Operation not permitted|\bEPERM\b/i;
const NO_NETWORK =
  /Network is unreachable|\bENETUNREACH\b|Could not resolve host|Temporary failure in name resolution|\bEAI_AGAIN\b|\bENOTFOUND\b|Name or service not known|Connection refused|\bECONNREFUSED\b|Failed to connect/i;

/** Says that the sandbox may be the reason of a failure and how to leave it; undefined if it is probably not. */
export function explainSandbox(
  result: Pick<CommandResult, 'output' | 'ended' | 'exitCode'>,
  command: string,
  { sandbox }: Pick<Environment, 'sandbox'>,
): string | undefined {
  if (sandbox === undefined || !hasFailed(result, command)) return undefined;
  const { temporaryFolder = '/tmp' } = sandbox;
  const isDenied = READ_ONLY.test(result.output) || (temporaryFolder !== '/tmp' && NOT_PERMITTED.test(result.output));
  const causes = [
    isDenied ? `only the working directory and ${temporaryFolder} are writable` : undefined,
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
  const isSeatbelt = sandboxProgram() === 'seatbelt';
  if (!SCRIPT_ERRORS.test(errors) && !(isSeatbelt && NOT_PERMITTED.test(errors))) return undefined;
  const temporary = isSeatbelt ? '$TMPDIR' : '/tmp';
  return `scripts run in a sandbox: they can write only to ${workingDirectory} and a private ${temporary}, and credentials are hidden. Use tools for other files`;
}
