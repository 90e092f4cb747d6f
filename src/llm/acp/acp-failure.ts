import { errorMessage, isJsonObject, type JsonValue, ModelError, type ModelErrorKind } from '../../base/index.ts';
import { classifyFailure } from '../failure/classify-failure.ts';
import type { AgentCommand, ProcessEnd } from './agent-process.ts';

/** Advice for the user if the command is missing or not signed in. */
export type CommandHints = { install: string; login: string };

/** ACP's JSON-RPC error code for "authentication required". */
const LOGIN_NEEDED = -32_000;

export function failure(kind: ModelErrorKind, message: string, hint?: string): ModelError {
  return new ModelError(classifyFailure({ kind, message }), hint === undefined ? {} : { hint });
}

/** The failure for a command that exited or could not be started. */
export function processFailure(
  { command, args }: AgentCommand,
  hints: CommandHints,
  end: ProcessEnd,
  seen: { spoke: boolean; said: string },
): ModelError {
  if ('error' in end) {
    const missing = (end.error as NodeJS.ErrnoException).code === 'ENOENT';
    const what = missing ? 'was not found' : `could not be started (${end.error.message})`;
    return failure('auth_permanent', `The command "${command}" ${what}.`, hints.install);
  }
  const how = end.signal === null ? `with exit code ${end.code}` : `after ${end.signal}`;
  const said = seen.said === '' ? '' : ` Its output: ${seen.said}`;
  // Only a command that exits during a call is retried: one that exits before its first message would do so again.
  if (seen.spoke) return failure('connection', `"${command}" exited ${how} during a call.${said}`);
  const call = [command, ...args].join(' ');
  return failure('format_error', `"${call}" exited ${how} before its first ACP message.${said}`, hints.install);
}

/** Converts a JSON-RPC error of the agent; rethrows any other error. */
export function protocolFailure(thrown: unknown, hints: CommandHints): ModelError {
  if (thrown instanceof ModelError) return thrown;
  const code = codeOf(thrown);
  if (code === undefined) throw thrown;
  const said = errorMessage(thrown);
  const details = detailsOf(thrown);
  const message = details === '' || said.includes(details) ? said : `${said}: ${details}`;
  if (code === LOGIN_NEEDED) return failure('auth', message, hints.login);
  const classified = classifyFailure({ message, codes: [String(code)] });
  return new ModelError(classified, classified.kind === 'auth' ? { hint: hints.login } : {});
}

function codeOf(thrown: unknown): number | undefined {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'number' ? code : undefined;
}

/** Agents put the message of the model's provider into `data`, as a string or in one of these fields. */
function detailsOf(thrown: unknown): string {
  const data = thrown instanceof Error && 'data' in thrown ? (thrown.data as JsonValue | undefined) : undefined;
  if (typeof data === 'string') return data;
  if (!isJsonObject(data)) return '';
  const found = [data.details, data.message, data.error].find((value) => typeof value === 'string');
  return typeof found === 'string' ? found : '';
}
