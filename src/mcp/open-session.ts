import { errorMessage } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import { explainConnectionError, shorten } from '../util/index.ts';
import {
  createServerRedactor,
  expandText,
  expandValues,
  type RedactServerSecrets,
  type Placeholders,
  serverEnvironment,
  type Variables,
} from './expand-variables.ts';
import { createLoginProvider, createTokenStore, needsLogin } from './login.ts';
import { readCertificates } from './server-certificates.ts';
import { ServerFailure } from './server-failure.ts';
import { createServerFetch } from './server-fetch.ts';
import type { McpSession, SessionFault, SessionHandlers } from './session.ts';
import { createStdioTransport } from './stdio-transport.ts';

export type ServerSettings = {
  name: string;
  settings: McpServerSettings;
  /** Whether the server is known not to support protocol version 2026-07-28 or later. */
  legacy?: boolean;
  /** Called if version negotiation failed. */
  onNegotiationFailed?(): void;
};

/** The environment, working directory and token folder for a server. */
export type ServerContext = {
  variables: Variables;
  workingDirectory: string;
  tokensFolder: string;
};

type Handlers = Omit<SessionHandlers, 'onClosed'> & { onClosed(reason: ServerFailure): void };

/**
 * Connects to a server according to its settings. Every failure is a `ServerFailure` and leaves no process or
 * connection behind.
 */
export async function openServer(
  server: ServerSettings,
  context: ServerContext,
  handlers: Handlers,
  signal: AbortSignal,
): Promise<McpSession> {
  const { name, settings } = server;
  const limit = AbortSignal.timeout(settings.connectTimeoutSeconds * 1000);
  const either = AbortSignal.any([signal, limit]);
  try {
    return await openWithLegacyFallback(server, (each) => {
      const open = settings.url === undefined ? openStdioServer : openHttpServer;
      return open(each, context, handlers, either);
    });
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof ServerFailure && !limit.aborted) throw thrown;
    if (!limit.aborted) throw await toServerFailure(name, thrown, createServerRedactor(settings, context.variables));
    throw new ServerFailure('unreachable', `${name} did not connect within ${settings.connectTimeoutSeconds} s.`, {
      hint: `Check it with \`hermes mcp test ${name}\`, or increase mcp_servers.${name}.connect_timeout.`,
      isOwnText: true,
    });
  }
}

/** Loaded on demand: it contains the protocol package. */
const loadProtocol = () => import('./mcp-protocol.ts');

/** Some old servers fail during version negotiation. Those are connected again with the old handshake. */
async function openWithLegacyFallback(
  server: ServerSettings,
  open: (server: ServerSettings) => Promise<McpSession>,
): Promise<McpSession> {
  try {
    return await open(server);
  } catch (thrown) {
    if (server.legacy || (await loadProtocol()).classifyFault(thrown).kind !== 'negotiation') throw thrown;
    server.onNegotiationFailed?.();
    return open({ ...server, legacy: true });
  }
}

async function openStdioServer(
  { name, settings, legacy = false }: ServerSettings,
  { variables, workingDirectory }: ServerContext,
  handlers: Handlers,
  signal: AbortSignal,
): Promise<McpSession> {
  const where = `mcp_servers.${name}`;
  const places: Placeholders = { workspaceFolder: workingDirectory };
  // The command runs without a shell, so `~` is expanded here.
  const fill = (text: string, key: string) =>
    expandText(text.replace(/^~(?=\/|$)/, '${HOME}'), variables, places, `${where}.${key}`);
  if (settings.command === undefined) {
    throw new ServerFailure('settings', `${where} has neither command nor url.`, {
      hint: `Set one of them, or run: hermes mcp remove ${name}`,
    });
  }
  const transport = createStdioTransport({
    serverName: name,
    command: fill(settings.command, 'command'),
    args: settings.args.map((arg, index) => fill(arg, `args[${index}]`)),
    env: serverEnvironment(variables, expandValues(settings.env, variables, places, `${where}.env`)),
    directory: settings.directory === undefined ? workingDirectory : fill(settings.directory, 'cwd'),
    hideSecrets: createServerRedactor(settings, variables),
  });
  const onClosed = () =>
    handlers.onClosed(
      transport.reason() ??
        new ServerFailure('unreachable', `The connection to ${name} was closed.`, { isOwnText: true }),
    );
  const protocol = await loadProtocol();
  const { openSession } = protocol;
  const timeoutMs = settings.connectTimeoutSeconds * 1000;
  try {
    return await openSession({ target: { transport }, handlers: { ...handlers, onClosed }, timeoutMs, signal, legacy });
  } catch (thrown) {
    await transport.close();
    const reason = transport.reason();
    const { kind } = protocol.classifyFault(thrown);
    // A server that exits during version negotiation may just not support it; the caller then tries the old
    // handshake.
    if (reason?.kind === 'unreachable' && !legacy && kind === 'negotiation') throw thrown;
    // A server that rejected the handshake exits because Hermes closes the connection.
    throw kind === 'refused' ? thrown : (reason ?? thrown);
  }
}

async function openHttpServer(
  server: ServerSettings,
  context: ServerContext,
  handlers: Handlers,
  signal: AbortSignal,
): Promise<McpSession> {
  const { transport } = server.settings;
  if (transport === 'sse') return openHttpTransport(server, context, handlers, signal, true);
  try {
    return await openHttpTransport(server, context, handlers, signal, false);
  } catch (thrown) {
    // Old servers support only SSE and reject a Streamable HTTP request with one of these status codes.
    const { status } = (await loadProtocol()).classifyFault(thrown);
    if (transport !== undefined || ![400, 404, 405].includes(status ?? 0)) throw thrown;
    return openHttpTransport(server, context, handlers, signal, true).catch(() => {
      throw thrown;
    });
  }
}

async function openHttpTransport(
  { name, settings, legacy = false }: ServerSettings,
  { variables, workingDirectory, tokensFolder }: ServerContext,
  handlers: Handlers,
  signal: AbortSignal,
  sse: boolean,
): Promise<McpSession> {
  const where = `mcp_servers.${name}`;
  const places: Placeholders = { workspaceFolder: workingDirectory };
  const url = expandText(settings.url ?? '', variables, places, `${where}.url`);
  const headers = expandValues(settings.headers, variables, places, `${where}.headers`);
  const store = createTokenStore(tokensFolder, name, url);
  // No request is sent before the user has logged in.
  if (settings.login && (await store.read()).tokens === undefined) throw needsLogin(name);
  const login = settings.login && createLoginProvider({ serverName: name, settings: settings.login, store });
  const flood = new AbortController();
  const tls = await readCertificates({ name, settings }, variables, places);
  const fetch = createServerFetch(name, variables, {
    onFlood: (reason) => flood.abort(reason),
    host: new URL(url).host,
    tls,
  });
  const { openSession } = await loadProtocol();
  const target = { url, sse, headers, fetch, login };
  const onClosed = () => {
    fetch.close();
    handlers.onClosed(new ServerFailure('unreachable', `The connection to ${name} was closed.`, { isOwnText: true }));
  };
  const timeoutMs = settings.connectTimeoutSeconds * 1000;
  const either = AbortSignal.any([signal, flood.signal]);
  try {
    // SSE is older than version negotiation, so SSE servers always use the old handshake.
    const known = { legacy: legacy || sse, timeoutMs, signal: either };
    const session = await openSession({ target, handlers: { ...handlers, onClosed }, ...known });
    const close = () => session.close().finally(fetch.close);
    flood.signal.addEventListener('abort', () => {
      handlers.onClosed(flood.signal.reason as ServerFailure);
      void close();
    });
    return { ...session, close };
  } catch (thrown) {
    fetch.close();
    throw flood.signal.aborted ? flood.signal.reason : thrown;
  }
}

/** The error message for users and models. Error texts of servers may contain secrets, so they are redacted. */
async function toServerFailure(
  name: string,
  thrown: unknown,
  hideSecrets: RedactServerSecrets,
): Promise<ServerFailure> {
  const fault = (await loadProtocol()).classifyFault(thrown);
  if (fault.kind === 'login') return connectionRejected(name, fault);
  const cause = thrown instanceof Error && thrown.cause !== undefined ? ` (${errorMessage(thrown.cause)})` : '';
  const status = fault.status === undefined ? '' : `HTTP ${fault.status}: `;
  const why = shorten(explainConnectionError(hideSecrets(`${status}${fault.message}${cause}`)), 300);
  return new ServerFailure('unreachable', `Could not connect to ${name}: ${why}${/[.!?…]$/.test(why) ? '' : '.'}`, {
    cause: thrown,
  });
}

function connectionRejected(name: string, { status }: SessionFault): ServerFailure {
  if (status === undefined) return needsLogin(name);
  return new ServerFailure('login', `${name} rejected the connection (HTTP ${status}).`, {
    hint: `Check mcp_servers.${name}.headers, or set mcp_servers.${name}.auth to oauth and run: hermes mcp login ${name}`,
    isOwnText: true,
  });
}
