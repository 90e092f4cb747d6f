import {
  auth,
  Client,
  type ClientOptions,
  type OAuthClientProvider,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import { abortable } from '../util/index.ts';
import type { McpSession, SessionFault, SessionHandlers, SessionOptions, SessionTarget } from './session.ts';

// The only module that imports the protocol package. The build puts it into a file of its own that is loaded when
// Hermes connects to a server, so its functions accept and return plain values only.

/** Hermes validates responses itself, item by item, so that one invalid tool does not invalidate the others. */
const ANY_RESULT = {
  '~standard': { version: 1, vendor: 'hermes', validate: (value: unknown) => ({ value: value as JsonValue }) },
} as const;
/** Output schemas of tools are not checked either: the model gets the result as text in any case. */
const NO_VALIDATION = {
  getValidator: () => (value: unknown) => ({ valid: true, data: value, errorMessage: undefined }),
};
/**
 * Timeout of the version probe, because old stdio servers may not answer an unknown request at all. The result is
 * cached.
 */
const PROBE_OPTIONS = { timeoutMs: 2000 };
/** The property that holds the tools of a response while the package validates it. */
const RAW_TOOLS_KEY = 'hermes_tools';

/** Connects and initializes the session. Closes the transport if that fails. */
export async function openSession({
  target,
  handlers,
  timeoutMs,
  signal,
  legacy,
}: SessionOptions): Promise<McpSession> {
  const client = new Client(
    { name: 'hermes-agent-ts', version: '1' },
    {
      capabilities: capabilitiesFor(handlers),
      jsonSchemaValidator: NO_VALIDATION as never,
      ...(!legacy && { versionNegotiation: { mode: 'auto', ...('transport' in target && { probe: PROBE_OPTIONS }) } }),
    },
  );
  answerRequests(client, handlers);
  client.setNotificationHandler('notifications/tools/list_changed', handlers.onToolsChanged);
  const transport = keepRawLists(transportFor(target));
  try {
    // The package ignores the signal during version negotiation.
    await abortable(client.connect(transport, { timeout: timeoutMs, signal }), signal);
    subscribeToChanges(client);
  } catch (thrown) {
    await Promise.allSettled([client.close(), transport.close()]);
    throw thrown;
  }
  let open = true;
  // The package only supports assigning this property.
  Object.assign(client, { onclose: () => open && handlers.onClosed() });
  return {
    serverVersion: client.getServerVersion()?.version,
    protocolVersion: client.getNegotiatedProtocolVersion(),
    legacy: !isModern(client),
    capabilities: new Set(Object.keys(client.getServerCapabilities() ?? {})),
    supportsTasks: runsTasks(client),
    request: async (method, params, options): Promise<JsonValue> =>
      withTools(
        await client.request({ method: methodFor(client, method), params }, ANY_RESULT as never, {
          timeout: options.timeoutMs,
          // A tool that reports progress is still working. The tool call itself has a separate timeout.
          resetTimeoutOnProgress: options.onProgress !== undefined,
          maxTotalTimeout: options.timeoutMs * 4,
          ...(options.signal && { signal: options.signal }),
          ...(options.onProgress && { onprogress: options.onProgress }),
        }),
      ),
    close() {
      open = false;
      return endSession(client, transport);
    },
  };
}

function capabilitiesFor({ sample, elicit, listRoots }: SessionHandlers): ClientOptions['capabilities'] {
  return {
    ...(sample && { sampling: {} }),
    ...(elicit && { elicitation: { form: {} } }),
    ...(listRoots && { roots: {} }),
  };
}

function answerRequests(client: Client, { sample, elicit, listRoots }: SessionHandlers): void {
  if (sample)
    client.setRequestHandler('sampling/createMessage', async ({ params }, context) => {
      return (await sample(params as unknown as JsonObject, context.mcpReq.signal)) as never;
    });
  if (elicit)
    client.setRequestHandler('elicitation/create', async ({ params }, context) => {
      return (await elicit(params as unknown as JsonObject, context.mcpReq.signal)) as never;
    });
  if (listRoots)
    client.setRequestHandler('roots/list', async () => ({
      roots: (await listRoots()).map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) || path })),
    }));
}

/** Newer protocol versions have tasks only as an extension, which the package does not support. */
function runsTasks(client: Client): boolean {
  return !isModern(client) && client.getServerCapabilities()?.tasks?.requests?.tools?.call !== undefined;
}

const isModern = (client: Client) => client.getProtocolEra() === 'modern';

/**
 * Newer protocol versions have no ping. `server/discover` replaces it: every server supports it, and it has no effect
 * either.
 */
function methodFor(client: Client, method: string): string {
  return method === 'ping' && isModern(client) ? 'server/discover' : method;
}

/** In newer protocol versions a client must subscribe to change notifications. A server may refuse. */
function subscribeToChanges(client: Client): void {
  if (!isModern(client) || client.getServerCapabilities()?.tools?.listChanged !== true) return;
  client.listen({ toolsListChanged: true }).catch(() => undefined);
}

/** Asks a stateful server to end the session, but waits only briefly for the response. */
async function endSession(client: Client, transport: Transport): Promise<void> {
  if (transport instanceof StreamableHTTPClientTransport) {
    const terminated = transport.terminateSession().catch(() => undefined);
    await Promise.race([terminated, new Promise((resolve) => setTimeout(resolve, 500).unref())]);
  }
  await client.close().catch(() => undefined);
}

function transportFor(target: SessionTarget): Transport {
  if ('transport' in target) return target.transport;
  const url = new URL(target.url);
  const options = {
    fetch: target.fetch.fetch as never,
    requestInit: { headers: { ...target.headers } },
    ...(target.login && { authProvider: target.login as OAuthClientProvider }),
  };
  return target.sse ? new SSEClientTransport(url, options) : new StreamableHTTPClientTransport(url, options);
}

/** One step of an OAuth login: without `code` it leads to the authorization URL, with `code` it gets the tokens. */
export function login(
  provider: object,
  options: {
    serverUrl: string;
    scope?: string | undefined;
    code?: string;
    issuer?: string | undefined;
    fetch: unknown;
  },
): Promise<'AUTHORIZED' | 'REDIRECT'> {
  return auth(provider as OAuthClientProvider, {
    serverUrl: options.serverUrl,
    fetchFn: options.fetch as never,
    ...(options.scope !== undefined && { scope: options.scope }),
    ...(options.code !== undefined && { authorizationCode: options.code }),
    ...(options.issuer !== undefined && { iss: options.issuer }),
  });
}

const CONNECTION_CLOSED_CODES: readonly string[] = [
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.NotConnected,
  SdkErrorCode.SendFailed,
];

/** The package has no error class for an answer to the handshake that it cannot use. */
const UNUSABLE_ANSWER = /^Server(?:'s protocol version is not supported| sent invalid initialize result)/;

/** Classifies an error of the protocol package. */
export function classifyFault(thrown: unknown): SessionFault {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof UnauthorizedError) return { kind: 'login', message };
  if (thrown instanceof SdkHttpError) {
    const { status } = thrown;
    return { kind: status === 401 || status === 403 ? 'login' : 'http', message, status };
  }
  if (thrown instanceof SseError) {
    const status = thrown.code ?? 0;
    return { kind: status === 401 || status === 403 ? 'login' : 'http', message, status };
  }
  if (thrown instanceof ProtocolError || UNUSABLE_ANSWER.test(message)) return { kind: 'refused', message };
  if (thrown instanceof SdkError) {
    if (thrown.code === SdkErrorCode.EraNegotiationFailed) return { kind: 'negotiation', message };
    if (thrown.code === SdkErrorCode.RequestTimeout) return { kind: 'timeout', message };
    return { kind: CONNECTION_CLOSED_CODES.includes(thrown.code) ? 'closed' : 'other', message };
  }
  return { kind: 'other', message };
}

type Receiving = { onmessage?: ((message: never, extra?: never) => void) | undefined };

/**
 * In newer protocol versions the package rejects a whole list because of one invalid tool. So the tools of a response
 * are moved to another property before validation, and `withTools` moves them back: each tool is then validated on its
 * own.
 */
function keepRawLists<Kind extends Receiving>(transport: Kind): Kind {
  let current = transport.onmessage;
  return Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => current,
    set(handler: Receiving['onmessage']) {
      current = handler && ((message, extra) => handler(moveToolsAside(message) as never, extra));
    },
  });
}

function moveToolsAside(message: JsonValue): JsonValue {
  if (!isJsonObject(message) || !isJsonObject(message['result'] ?? null)) return message;
  const result = message['result'] as Record<string, JsonValue>;
  if (!Array.isArray(result['tools']) || RAW_TOOLS_KEY in result) return message;
  return { ...message, result: { ...result, tools: [], [RAW_TOOLS_KEY]: result['tools'] } };
}

/** A response with its tools restored. */
function withTools(answer: JsonValue): JsonValue {
  if (!isJsonObject(answer) || !(RAW_TOOLS_KEY in answer)) return answer;
  const { [RAW_TOOLS_KEY]: tools, ...rest } = answer;
  return { ...rest, tools: tools ?? [] };
}
