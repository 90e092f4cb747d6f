import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  inputRequired,
  inputResponse,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { JsonObject } from '../../base/index.ts';
import {
  type Elicitation,
  type ElicitationAnswer,
  isUser,
  type McpCaller,
  type ServedCall,
  type ServedParts,
  type ServedResult,
} from './served-parts.ts';

// The only module of the server that imports the protocol package. The build puts it into a file of its own, so its
// functions accept and return plain values only.

/** The tools validate their arguments, and the answers of forms. */
const NO_VALIDATION = {
  getValidator: () => (value: unknown) => ({ valid: true, data: value, errorMessage: undefined }),
};
/** The key of the only form in a result. */
const FORM = 'form';
/** A user may think for long: the question itself has the shorter time limit. */
const FORM_TIMEOUT_MS = 24 * 3_600_000;

type Era = 'legacy' | 'modern';

/** Serves one client over its pipes. `closed` resolves when the client has closed them. */
export function serveOverStdio(
  parts: ServedParts,
  { stdin, stdout, caller }: { stdin: Readable; stdout: Writable; caller: McpCaller },
): { close(): Promise<void>; closed: Promise<void> } {
  const closed = Promise.withResolvers<void>();
  const end = () => closed.resolve();
  stdin.once('end', end).once('close', end).once('error', end);
  stdout.once('error', end);
  const handle = serveStdio(({ era }) => createProtocolServer(parts, era, () => caller), {
    transport: new StdioServerTransport(stdin, stdout),
    onerror: parts.onProblem,
  });
  return { close: () => handle.close(), closed: closed.promise };
}

/** A request over HTTP that is authenticated and parsed. */
export type McpHttpRequest = {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** The parsed body; undefined without one. */
  body: unknown;
  caller: McpCaller;
  /** Aborted when the response is complete or the client has disconnected. */
  signal: AbortSignal;
};

export type McpHttpResponse = { status: number; headers: Record<string, string>; body: Response['body'] };

export interface McpHttpEndpoint {
  handle(request: McpHttpRequest): Promise<McpHttpResponse>;
  close(): Promise<void>;
}

type HttpLimits = {
  /** How many clients of the older protocol versions can be connected. */
  maxSessions: number;
  /** How long such a client may send nothing. */
  idleMs: number;
  now(): number;
};

/** A client of the older protocol versions, which keeps a session. Newer clients send everything with each request. */
type LegacySession = {
  transport: WebStandardStreamableHTTPServerTransport;
  callerId: string;
  lastUsedAt: number;
  running: number;
};

export function createHttpEndpoint(parts: ServedParts, limits: HttpLimits): McpHttpEndpoint {
  const sessions = new Map<string, LegacySession>();
  const callers = new Map<string, McpCaller>();
  const callerOf = ({ http }: ServerContext) => {
    const caller = callers.get(http?.authInfo?.clientId ?? '');
    if (caller === undefined) throw new ProtocolError(ProtocolErrorCode.InternalError, 'The caller is unknown.');
    return caller;
  };
  const modern = createMcpHandler(() => createProtocolServer(parts, 'modern', callerOf), {
    legacy: 'reject',
    keepAliveMs: 0,
    onerror: parts.onProblem,
  });

  function findSession({ headers, caller }: McpHttpRequest): LegacySession | undefined {
    const session = sessions.get(headers['mcp-session-id'] ?? '');
    return session?.callerId === caller.actor.id ? session : undefined;
  }

  async function dropIdle(): Promise<void> {
    const oldestUse = limits.now() - limits.idleMs;
    for (const [id, { running, lastUsedAt, transport }] of sessions) {
      if (running > 0 || lastUsedAt > oldestUse) continue;
      sessions.delete(id);
      await transport.close();
    }
  }

  async function openSession(callerId: string): Promise<LegacySession> {
    await dropIdle();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      keepAliveMs: 0,
      onsessioninitialized: (id) => void sessions.set(id, session),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    const session: LegacySession = { transport, callerId, lastUsedAt: limits.now(), running: 0 };
    await createProtocolServer(parts, 'legacy', callerOf).connect(transport);
    return session;
  }

  async function handleLegacy(request: McpHttpRequest, web: Request): Promise<Response> {
    // Nothing is ever sent outside the response to a request.
    if (request.method === 'GET') return refuse(405, -32000, 'This server has no stream of its own.');
    const isNew = request.headers['mcp-session-id'] === undefined;
    if (isNew && sessions.size >= limits.maxSessions) await dropIdle();
    if (isNew && sessions.size >= limits.maxSessions)
      return refuse(503, -32000, `${sessions.size} clients are connected, so no more are accepted.`);
    const session = isNew ? await openSession(request.caller.actor.id) : findSession(request);
    if (session === undefined) return refuse(404, -32001, 'There is no such session. Initialize a new one.');
    session.running += 1;
    const onEnd = () => {
      session.running -= 1;
      session.lastUsedAt = limits.now();
    };
    if (request.signal.aborted) onEnd();
    else request.signal.addEventListener('abort', onEnd, { once: true });
    return session.transport.handleRequest(web, optionsOf(request));
  }

  return {
    async handle(request) {
      callers.set(request.caller.actor.id, request.caller);
      const { url, method, headers, body, signal } = request;
      const web = new Request(url, { method, headers, signal });
      const response = (await isLegacyRequest(web, body))
        ? await handleLegacy(request, web)
        : await modern.fetch(web, optionsOf(request));
      return { status: response.status, headers: Object.fromEntries(response.headers), body: response.body };
    },
    async close() {
      await Promise.allSettled([modern.close(), ...[...sessions.values()].map(({ transport }) => transport.close())]);
      sessions.clear();
    },
  };
}

function optionsOf({ caller, body }: McpHttpRequest) {
  const authInfo = { token: '', clientId: caller.actor.id, scopes: [] };
  return body === undefined ? { authInfo } : { authInfo, parsedBody: body };
}

function refuse(status: number, code: number, message: string): Response {
  const headers: Record<string, string> = status === 405 ? { allow: 'POST, DELETE' } : {};
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status, headers });
}

function createProtocolServer(parts: ServedParts, era: Era, callerOf: (context: ServerContext) => McpCaller): Server {
  const { version, instructions, resources } = parts;
  const server = new Server(
    { name: 'hermes', title: 'Hermes', version },
    { capabilities: { tools: {}, resources: {} }, instructions, jsonSchemaValidator: NO_VALIDATION as never },
  );
  // The package only supports assigning this property.
  Object.assign(server, { onerror: parts.onProblem });
  const toolsFor = (caller: McpCaller) => parts.tools.filter(({ isPrivate }) => !isPrivate || isUser(caller));
  server.setRequestHandler('tools/list', (_, context) => {
    const tools = toolsFor(callerOf(context)).map(
      ({ call: _call, isPrivate: _isPrivate, ...definition }) => definition,
    );
    return { tools } as never;
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const caller = callerOf(context);
    const tool = toolsFor(caller).find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${params.name}".`);
    const call = createCall(server, context, { era, caller });
    return toCallResult(await tool.call((params.arguments ?? {}) as JsonObject, call)) as never;
  });
  server.setRequestHandler('resources/list', async ({ params }, context) => {
    return resources.list(params?.cursor, callerOf(context));
  });
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...resources.templates] }));
  server.setRequestHandler('resources/read', async ({ params }, context) => {
    const content = await resources.read(params.uri, callerOf(context));
    if (content === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no resource "${params.uri}".`);
    return { contents: [content] };
  });
  return server;
}

function createCall(
  server: Server,
  context: ServerContext,
  { era, caller }: { era: Era; caller: McpCaller },
): ServedCall {
  const { mcpReq } = context;
  const token = mcpReq._meta?.progressToken;
  let count = 0;
  const state = mcpReq.requestState<string>();
  return {
    caller,
    signal: mcpReq.signal,
    progress(text) {
      if (token === undefined || mcpReq.signal.aborted) return;
      count += 1;
      const params = { progressToken: token, progress: count, message: text };
      // The client may be gone; the signal then says so.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
    canElicit: canElicit(server, context),
    elicit: era === 'modern' ? undefined : (form, signal) => elicit(context, form, signal),
    resumed: state === undefined ? undefined : { state, answer: readAnswer(mcpReq.inputResponses) },
  };
}

/** An empty capability means forms, because those came first. */
function canElicit(server: Server, { mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Record<string, ReturnType<Server['getClientCapabilities']>> | undefined;
  const { elicitation } = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

async function elicit({ mcpReq }: ServerContext, form: Elicitation, signal: AbortSignal): Promise<ElicitationAnswer> {
  const params = { mode: 'form', ...form };
  const options = { signal, timeout: FORM_TIMEOUT_MS };
  const { action, content } = await mcpReq.send({ method: 'elicitation/create', params }, options);
  return { action, content: content as JsonObject | undefined };
}

function readAnswer(responses: Record<string, unknown> | undefined): ElicitationAnswer | undefined {
  const view = inputResponse(responses, FORM);
  if (view.kind !== 'elicit') return undefined;
  return { action: view.action, content: view.content as JsonObject | undefined };
}

function toCallResult(served: ServedResult): unknown {
  if ('form' in served) {
    const form = inputRequired.elicit(served.form as Parameters<typeof inputRequired.elicit>[0]);
    return inputRequired({ inputRequests: { [FORM]: form }, requestState: served.state });
  }
  // In the original, an error is JSON with this key. It does not match the schema of a result, so it is only text.
  if ('error' in served)
    return { content: [{ type: 'text', text: JSON.stringify(served, undefined, 2) }], isError: true };
  const { result, text = JSON.stringify(result, undefined, 2), images = [], isError = false } = served;
  const pictures = images.map(({ mimeType, base64: data }) => ({ type: 'image', data, mimeType }));
  return { content: [{ type: 'text', text }, ...pictures], structuredContent: result, ...(isError && { isError }) };
}
