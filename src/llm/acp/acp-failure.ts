import { errorMessage, isJsonObject, type JsonValue, ModelError, type ModelErrorKind } from '../../base/index.ts';
import { classifyFailure } from '../failure/classify-failure.ts';
import type { AgentCommand, ProcessEnd } from './agent-process.ts';

/** What to do where the command itself is the trouble, in words for the person. */
export type CommandHints = { install: string; login: string };

/** JSON-RPC's code for "log in first" in this protocol. */
const LOGIN_NEEDED = -32_000;

export function failure(kind: ModelErrorKind, message: string, hint?: string): ModelError {
  return new ModelError(classifyFailure({ kind, message }), hint === undefined ? {} : { hint });
}

/** The command is gone, or never was. */
export function endedFailure(
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
  const how = end.signal === null ? `with code ${end.code}` : `by ${end.signal}`;
  const said = seen.said === '' ? '' : ` It said: ${seen.said}`;
  // One that ends before it says anything of use will do so again.
  if (seen.spoke) return failure('connection', `"${command}" ended ${how} in the middle of a call.${said}`);
  const call = [command, ...args].join(' ');
  return failure('format_error', `"${call}" ended ${how} without speaking ACP.${said}`, hints.install);
}

/** An error that the agent answered with; one that is not the agent's is thrown on. */
export function answeredFailure(thrown: unknown, hints: CommandHints): ModelError {
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

/** Agents put the words of the model's own provider into `data`, as text or under one of these names. */
function detailsOf(thrown: unknown): string {
  const data = thrown instanceof Error && 'data' in thrown ? (thrown.data as JsonValue | undefined) : undefined;
  if (typeof data === 'string') return data;
  if (!isJsonObject(data)) return '';
  const found = [data.details, data.message, data.error].find((value) => typeof value === 'string');
  return typeof found === 'string' ? found : '';
}
