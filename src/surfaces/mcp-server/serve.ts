import type { Readable, Writable } from 'node:stream';
import { type Clock, OWNER } from '../../base/index.ts';
import type { Logger, SessionStore } from '../../contracts/index.ts';
import {
  type Authenticator,
  HttpError,
  type HttpRequest,
  type HttpServer,
  INVALID_KEY,
  startHttpServer,
} from '../../http/index.ts';
import type { Runtime } from '../../runtime/index.ts';
import { createAsks, type KeyLimits } from './asks.ts';
import { createEventBridge } from './event-bridge.ts';
import { toHttpResponse, toMcpRequest } from './http-messages.ts';
import type { McpKey, ServedParts } from './served-parts.ts';
import { createSessionResources } from './session-resources.ts';
import { askTool } from './tools/ask.ts';
import { conversationTools } from './tools/conversations.ts';
import { eventTools } from './tools/events.ts';
import { messageTools, type UseMessaging } from './tools/messages.ts';
import { permissionTools } from './tools/permissions.ts';
import { searchTool } from './tools/search.ts';

export type McpServerOptions = {
  version: string;
  /** The store for everything but turns; opened with the first call that needs it. */
  openStore(): Promise<SessionStore>;
  /** Opened with the first question to the agent. Throws if no model is configured. */
  openRuntime(): Promise<Runtime>;
  useMessaging: UseMessaging;
  limits: KeyLimits;
  clock: Clock;
  logger: Logger;
};

const INSTRUCTIONS =
  'Hermes is an autonomous agent on the machine of the user. Use hermes_ask to give it a task. The other tools read and answer the chats in which people talk to it on messaging platforms, decide its open approvals, and search its sessions; each session is also a resource.';

/** A served Hermes, without a transport. */
type Served = { parts: ServedParts; close(): Promise<void> };

function createServed(options: McpServerOptions): Served {
  const { version, openStore, clock, logger } = options;
  const asks = createAsks(options.openRuntime, options.limits);
  const bridge = createEventBridge(openStore, clock);
  // A failure is reported by the first call that needs the store.
  bridge.start().catch(() => undefined);
  const parts: ServedParts = {
    version,
    instructions: INSTRUCTIONS,
    tools: [
      askTool(asks),
      searchTool(openStore),
      ...conversationTools(openStore),
      ...eventTools(bridge),
      ...messageTools(options.useMessaging),
      ...permissionTools({ openStore, clock }),
    ],
    resources: createSessionResources(openStore),
    onProblem: (error) => logger.warn('an MCP client caused a problem', { error: error.message }),
  };
  return { parts, close: asks.close };
}

/** Serves the program that started this process, until it closes the pipe or the signal is aborted. */
export async function serveMcpOverStdio(
  options: McpServerOptions,
  { stdin, stdout, signal }: { stdin: Readable; stdout: Writable; signal: AbortSignal },
): Promise<void> {
  const { serveOverStdio } = await import('./mcp-server-protocol.ts');
  const { parts, close } = createServed(options);
  const caller = { actor: OWNER };
  const connection = serveOverStdio(parts, { stdin, stdout, caller });
  const stopped = Promise.withResolvers<void>();
  const onAbort = () => stopped.resolve();
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  await Promise.race([connection.closed, stopped.promise]);
  signal.removeEventListener('abort', onAbort);
  await close();
  await connection.close();
}

/** The API keys. A key can be revoked at any time. */
export type McpKeys = { authenticator: Authenticator; find(name: string): McpKey | undefined };

export type McpHttpOptions = {
  host: string;
  port: number;
  keys: McpKeys;
  /** Further host names under which clients reach the server, such as that of a reverse proxy. */
  hosts?: readonly string[];
};

const PATH = '/mcp';
const MAX_BODY = 4 * 1024 * 1024;
const RATE = { count: 600, perMs: 60_000 };
const LIMITS = { maxSessions: 100, idleMs: 3_600_000 };
const CLOSE_GRACE_MS = 2000;

/** Serves clients over HTTP. Each request needs a key, also on this machine: other accounts of it could send requests. */
export async function serveMcpOverHttp(
  options: McpServerOptions,
  { host, port, keys, hosts }: McpHttpOptions,
): Promise<Pick<HttpServer, 'host' | 'port'> & { close(): Promise<void> }> {
  const { createHttpEndpoint } = await import('./mcp-server-protocol.ts');
  const { clock, logger } = options;
  const { parts, close } = createServed(options);
  const endpoint = createHttpEndpoint(parts, { ...LIMITS, now: () => clock.now() });
  const server = await startHttpServer({
    host,
    port,
    ...(hosts !== undefined && { hosts }),
    logger,
    clock,
    routes: (['POST', 'GET', 'DELETE'] as const).map((method) => ({
      method,
      path: PATH,
      access: keys.authenticator,
      maxBodyBytes: MAX_BODY,
      rate: RATE,
      handle: async (request: HttpRequest) => {
        const key = requireKey(keys, request);
        return toHttpResponse(await endpoint.handle(await toMcpRequest(request, key)));
      },
    })),
  });
  return {
    host: server.host,
    port: server.port,
    async close() {
      await close();
      await server.close(CLOSE_GRACE_MS);
      await endpoint.close();
    },
  };
}

function requireKey(keys: McpKeys, { caller }: HttpRequest): McpKey {
  const key = keys.find(caller?.name ?? '');
  if (key === undefined) throw new HttpError(401, 'invalid_key', INVALID_KEY);
  return key;
}
