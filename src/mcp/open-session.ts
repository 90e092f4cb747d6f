import { errorMessage } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import { shorten } from '../util/index.ts';
import {
  createHideSecrets,
  expandText,
  expandValues,
  type HideSecrets,
  type Places,
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
  /** It is known to have no version of the protocol of 2026-07-28 or later. */
  legacy?: boolean;
  /** Told where it broke when it was asked for its versions. */
  onUnclear?(): void;
};

/** Where a server runs, and what it may be told. */
export type ServerSurroundings = {
  variables: Variables;
  workingDirectory: string;
  tokensFolder: string;
};

type Handlers = Omit<SessionHandlers, 'onClosed'> & { onClosed(reason: ServerFailure): void };

/** Connects to a server as its settings say. Every failure is a `ServerFailure`; nothing is left of what was begun. */
export async function openServer(
  server: ServerSettings,
  surroundings: ServerSurroundings,
  handlers: Handlers,
  signal: AbortSignal,
): Promise<McpSession> {
  const { name, settings } = server;
  const limit = AbortSignal.timeout(settings.connectTimeoutSeconds * 1000);
  const either = AbortSignal.any([signal, limit]);
  try {
    return await openWithLegacyFallback(server, (each) => {
      const open = settings.url === undefined ? openStdioServer : openHttpServer;
      return open(each, surroundings, handlers, either);
    });
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof ServerFailure && !limit.aborted) throw thrown;
    if (!limit.aborted) throw await explain(name, thrown, createHideSecrets(settings, surroundings.variables));
    throw new ServerFailure('unreachable', `${name} did not answer within ${settings.connectTimeoutSeconds} s.`, {
      hint: `Look at what it says: hermes mcp test ${name}. mcp_servers.${name}.connect_timeout gives it longer.`,
    });
  }
}

/** The part with the protocol package in it is loaded when a server is connected to. */
const loadProtocol = () => import('./mcp-protocol.ts');

/** Some old servers break at the question which versions they have; those are greeted anew in the old way. */
async function openWithLegacyFallback(
  server: ServerSettings,
  open: (server: ServerSettings) => Promise<McpSession>,
): Promise<McpSession> {
  try {
    return await open(server);
  } catch (thrown) {
    if (server.legacy || (await loadProtocol()).readFault(thrown).kind !== 'negotiation') throw thrown;
    server.onUnclear?.();
    return open({ ...server, legacy: true });
  }
}

async function openStdioServer(
  { name, settings, legacy = false }: ServerSettings,
  { variables, workingDirectory }: ServerSurroundings,
  handlers: Handlers,
  signal: AbortSignal,
): Promise<McpSession> {
  const where = `mcp_servers.${name}`;
  const places: Places = { workspaceFolder: workingDirectory };
  // No shell is between us and the program, so nobody else would do it.
  const fill = (text: string, key: string) =>
    expandText(text.replace(/^~(?=\/|$)/, '${HOME}'), variables, places, `${where}.${key}`);
  if (settings.command === undefined) {
    throw new ServerFailure('settings', `${where} has neither command nor url.`, {
      hint: `Write one of them, or run: hermes mcp remove ${name}`,
    });
  }
  const transport = createStdioTransport({
    serverName: name,
    command: fill(settings.command, 'command'),
    args: settings.args.map((arg, index) => fill(arg, `args[${index}]`)),
    env: serverEnvironment(variables, expandValues(settings.env, variables, places, `${where}.env`)),
    directory: settings.directory === undefined ? workingDirectory : fill(settings.directory, 'cwd'),
    hideSecrets: createHideSecrets(settings, variables),
  });
  const onClosed = () =>
    handlers.onClosed(transport.reason() ?? new ServerFailure('unreachable', `${name} was closed.`));
  const protocol = await loadProtocol();
  const { openSession } = protocol;
  const timeoutMs = settings.connectTimeoutSeconds * 1000;
  try {
    return await openSession({ target: { transport }, handlers: { ...handlers, onClosed }, timeoutMs, signal, legacy });
  } catch (thrown) {
    await transport.close();
    const reason = transport.reason();
    // One that ended at the first question may be one that knows it not, and is asked in another way.
    if (reason?.kind === 'unreachable' && !legacy && protocol.readFault(thrown).kind === 'negotiation') throw thrown;
    throw reason ?? thrown;
  }
}

async function openHttpServer(
  server: ServerSettings,
  surroundings: ServerSurroundings,
  handlers: Handlers,
  signal: AbortSignal,
): Promise<McpSession> {
  const { transport } = server.settings;
  if (transport === 'sse') return openHttpTransport(server, surroundings, handlers, signal, true);
  try {
    return await openHttpTransport(server, surroundings, handlers, signal, false);
  } catch (thrown) {
    // Old servers know only the other transport, and answer the first request of this one so.
    const { status } = (await loadProtocol()).readFault(thrown);
    if (transport !== undefined || ![400, 404, 405].includes(status ?? 0)) throw thrown;
    return openHttpTransport(server, surroundings, handlers, signal, true).catch(() => {
      throw thrown;
    });
  }
}

async function openHttpTransport(
  { name, settings, legacy = false }: ServerSettings,
  { variables, workingDirectory, tokensFolder }: ServerSurroundings,
  handlers: Handlers,
  signal: AbortSignal,
  sse: boolean,
): Promise<McpSession> {
  const where = `mcp_servers.${name}`;
  const places: Places = { workspaceFolder: workingDirectory };
  const url = expandText(settings.url ?? '', variables, places, `${where}.url`);
  const headers = expandValues(settings.headers, variables, places, `${where}.headers`);
  const store = createTokenStore(tokensFolder, name, url);
  // Nothing is asked of a server before the person has logged in there.
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
    handlers.onClosed(new ServerFailure('unreachable', `The connection to ${name} was closed.`));
  };
  const timeoutMs = settings.connectTimeoutSeconds * 1000;
  const either = AbortSignal.any([signal, flood.signal]);
  try {
    // That transport is older than the versions one could ask for.
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

/** A failure in words for a person and for a model; what a server says may hold a secret that it was given. */
async function explain(name: string, thrown: unknown, hideSecrets: HideSecrets): Promise<ServerFailure> {
  const fault = (await loadProtocol()).readFault(thrown);
  if (fault.kind === 'login') return refused(name, fault);
  const cause = thrown instanceof Error && thrown.cause !== undefined ? ` (${errorMessage(thrown.cause)})` : '';
  const status = fault.status === undefined ? '' : `HTTP ${fault.status}: `;
  const why = shorten(hideSecrets(`${status}${fault.message}${cause}`), 300);
  return new ServerFailure('unreachable', `${name} could not be connected to: ${why}`, { cause: thrown });
}

function refused(name: string, { status }: SessionFault): ServerFailure {
  if (status === undefined) return needsLogin(name);
  return new ServerFailure('login', `${name} refused the connection (HTTP ${status}).`, {
    hint: `Check mcp_servers.${name}.headers, or set mcp_servers.${name}.auth to oauth and run: hermes mcp login ${name}`,
  });
}
