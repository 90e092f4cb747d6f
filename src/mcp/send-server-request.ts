import type { Clock, JsonValue } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import { shorten } from '../util/index.ts';
import type { Connection } from './connection.ts';
import type { RedactServerSecrets } from './expand-variables.ts';
import { runAsTask } from './run-as-task.ts';
import { ServerFailure } from './server-failure.ts';
import type { McpCall, ServerRequest } from './server-tools.ts';
import type { McpSession, RequestOptions, SessionFault } from './session.ts';

type RequestContext = { name: string; settings: McpServerSettings; hideSecrets: RedactServerSecrets; clock: Clock };

/** A server that does not answer a ping within this time counts as unresponsive. */
const PING_MS = 5000;

/**
 * Sends one request on the current connection. It is sent again on a new connection only if it cannot take effect
 * twice.
 */
export async function sendServerRequest(
  connection: Connection,
  asked: RequestContext,
  request: ServerRequest,
  context: McpCall,
): Promise<JsonValue> {
  const session = await connection.session(context.signal);
  try {
    return await send(session, asked, request, context);
  } catch (thrown) {
    const fault = await toSessionFault(thrown, context.signal);
    // Status 404: the server no longer knows the session, so it has not processed the request.
    const forgotten = fault.status === 404;
    if (forgotten) await connection.drop(session, sessionUnknown(asked.name));
    if (forgotten || (request.repeatable && fault.kind === 'closed')) {
      return send(await connection.session(context.signal), asked, request, context).catch(async (again: unknown) => {
        throw toServerFailure(await toSessionFault(again, context.signal), asked, connection);
      });
    }
    if (fault.kind === 'timeout') await dropIfUnresponsive(connection, session, asked);
    throw toServerFailure(fault, asked, connection);
  }
}

function send(
  session: McpSession,
  { name, settings, clock }: RequestContext,
  { method, params, asTask }: ServerRequest,
  context: McpCall,
): Promise<JsonValue> {
  const { signal } = context;
  const timeoutMs = settings.timeoutSeconds * 1000;
  if (asTask) {
    const onStatus = (status: string) => context.progress(`${shorten(status, 200)}\n`);
    return runAsTask(session, { method, params }, { serverName: name, signal, timeoutMs, clock, onStatus });
  }
  const onProgress: RequestOptions['onProgress'] = ({ progress, total, message }) => {
    const share = total === undefined ? String(progress) : `${progress}/${total}`;
    context.progress(`${message === undefined ? share : `${share} ${shorten(message, 200)}`}\n`);
  };
  return session.request(method, params, { signal, timeoutMs, onProgress });
}

/** Classifies an error. Throws if the caller aborted, or if the error is already a `ServerFailure`. */
async function toSessionFault(thrown: unknown, signal: AbortSignal): Promise<SessionFault> {
  signal.throwIfAborted();
  if (thrown instanceof ServerFailure) throw thrown;
  return (await import('./mcp-protocol.ts')).classifyFault(thrown);
}

/** A slow tool is no reason to drop the connection, but a server that does not even answer a ping is. */
async function dropIfUnresponsive(
  connection: Connection,
  session: McpSession,
  { name, settings }: RequestContext,
): Promise<void> {
  try {
    await session.request('ping', {}, { timeoutMs: Math.min(PING_MS, settings.timeoutSeconds * 1000) });
  } catch {
    await connection.drop(
      session,
      new ServerFailure('unreachable', `${name} no longer responds; the connection was closed.`, { isOwnText: true }),
    );
  }
}

function sessionUnknown(name: string): ServerFailure {
  return new ServerFailure('unreachable', `${name} no longer knows the session.`, { isOwnText: true });
}

/** The error message for the model. It also says whether the call may have taken effect. */
function toServerFailure(
  fault: SessionFault,
  { name, settings, hideSecrets }: RequestContext,
  connection: Connection,
): ServerFailure {
  const status = fault.status === undefined ? '' : `HTTP ${fault.status}: `;
  const said = shorten(hideSecrets(`${status}${fault.message}`), 500);
  switch (fault.kind) {
    case 'timeout':
      return new ServerFailure(
        'unreachable',
        `${name} timed out after ${settings.timeoutSeconds} s. The call may or may not have taken effect.`,
        { isOwnText: true },
      );
    case 'closed': {
      const { message: why = 'The connection was closed.', isOwnText = true } = connection.failure() ?? {};
      return new ServerFailure(
        'unreachable',
        `${why} The call may or may not have taken effect. The next call reconnects.`,
        { isOwnText },
      );
    }
    case 'login':
      return new ServerFailure('login', `${name} requires a login. Ask the user to run \`hermes mcp login ${name}\`.`, {
        isOwnText: true,
      });
    case 'refused':
      return new ServerFailure('unreachable', `${name} rejected the call: ${said}`);
    default:
      return new ServerFailure('unreachable', `${name} failed: ${said}`);
  }
}
