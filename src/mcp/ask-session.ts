import type { JsonObject, JsonValue } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import { shorten } from '../util/index.ts';
import type { Connection } from './connection.ts';
import type { HideSecrets } from './expand-variables.ts';
import { ServerFailure } from './server-failure.ts';
import type { McpCall } from './server-tools.ts';
import type { McpSession, SessionFault } from './session.ts';

type AskContext = { name: string; settings: McpServerSettings; hideSecrets: HideSecrets };
/** `repeatable`: it only reads, so it may be made again where its outcome is unknown. */
type ServerRequest = { method: string; params: JsonObject; repeatable: boolean };

/** A server that said nothing for so long to a plain question does not hear us any more. */
const PING_MS = 5000;

/** One request, on the connection there is; made again on a new one only where that cannot do anything twice. */
export async function askSession(
  connection: Connection,
  asked: AskContext,
  request: ServerRequest,
  context: McpCall,
): Promise<JsonValue> {
  const session = await connection.session(context.signal);
  try {
    return await send(session, asked, request, context);
  } catch (thrown) {
    const fault = await faultOf(thrown, context.signal);
    // An address that has forgotten us has not looked at the request either.
    const forgotten = fault.status === 404;
    if (forgotten) await connection.drop(session, lost(asked.name));
    if (forgotten || (request.repeatable && fault.kind === 'closed')) {
      return send(await connection.session(context.signal), asked, request, context).catch(async (again: unknown) => {
        throw explain(await faultOf(again, context.signal), asked, connection);
      });
    }
    if (fault.kind === 'timeout') await dropIfUnresponsive(connection, session, asked);
    throw explain(fault, asked, connection);
  }
}

function send(
  session: McpSession,
  { settings }: AskContext,
  request: ServerRequest,
  context: McpCall,
): Promise<JsonValue> {
  return session.request(request.method, request.params, {
    signal: context.signal,
    timeoutMs: settings.timeoutSeconds * 1000,
    onProgress({ progress, total, message }) {
      const share = total === undefined ? String(progress) : `${progress}/${total}`;
      context.progress(`${message === undefined ? share : `${share} ${shorten(message, 200)}`}\n`);
    },
  });
}

/** An interrupt is the caller's to tell; everything else is told by its kind. */
async function faultOf(thrown: unknown, signal: AbortSignal): Promise<SessionFault> {
  signal.throwIfAborted();
  if (thrown instanceof ServerFailure) throw thrown;
  return (await import('./mcp-protocol.ts')).readFault(thrown);
}

/** One slow tool is no reason to end a server; one that answers nothing at all is. */
async function dropIfUnresponsive(
  connection: Connection,
  session: McpSession,
  { name, settings }: AskContext,
): Promise<void> {
  try {
    await session.request('ping', {}, { timeoutMs: Math.min(PING_MS, settings.timeoutSeconds * 1000) });
  } catch {
    await connection.drop(
      session,
      new ServerFailure('unreachable', `${name} does not answer any more, and was ended.`),
    );
  }
}

function lost(name: string): ServerFailure {
  return new ServerFailure('unreachable', `${name} has forgotten the connection.`);
}

/** In words for the model: what happened, and what may have happened. */
function explain(
  fault: SessionFault,
  { name, settings, hideSecrets }: AskContext,
  connection: Connection,
): ServerFailure {
  const status = fault.status === undefined ? '' : `HTTP ${fault.status}: `;
  const said = shorten(hideSecrets(`${status}${fault.message}`), 500);
  switch (fault.kind) {
    case 'timeout':
      return new ServerFailure(
        'unreachable',
        `${name} did not answer within ${settings.timeoutSeconds} s; whether it did anything is unknown.`,
      );
    case 'closed': {
      const why = connection.failure()?.message ?? 'The connection was closed.';
      return new ServerFailure(
        'unreachable',
        `${why} Whether the call did anything is unknown; the next one connects anew.`,
      );
    }
    case 'login':
      return new ServerFailure(
        'login',
        `${name} wants a login: only the user can help, with \`hermes mcp login ${name}\`.`,
      );
    case 'refused':
      return new ServerFailure('unreachable', `${name} refused the call: ${said}`);
    default:
      return new ServerFailure('unreachable', `${name} could not answer: ${said}`);
  }
}
