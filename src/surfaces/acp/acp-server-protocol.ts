// The only file that loads the official package. The build makes it a separate file, so it shares only plain values
// with the rest: a class used on both sides would exist twice.
import { Readable, Writable } from 'node:stream';
import {
  agent,
  type AgentContext,
  type AnyMessage,
  type AuthenticateRequest,
  type CloseSessionRequest,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type DeleteSessionRequest,
  type InitializeRequest,
  type InitializeResponse,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type LoadSessionRequest,
  type LoadSessionResponse,
  methods,
  ndJsonStream,
  type NewSessionRequest,
  type NewSessionResponse,
  type PromptRequest,
  type PromptResponse,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type ResumeSessionRequest,
  type SessionUpdate,
  type SetSessionConfigOptionRequest,
  type SetSessionConfigOptionResponse,
  type SetSessionModeRequest,
} from '@agentclientprotocol/sdk';
import type { JsonObject } from '../../base/index.ts';

/** `session/fork` and `session/set_title` are not part of stable version 1. */
export type ForkSessionRequest = ResumeSessionRequest;
export type ForkSessionResponse = NewSessionResponse;
export type SetTitleRequest = { sessionId: string; title: string };

/** What a handler knows about its request. */
export type AcpRequest = {
  /** Aborted if the client cancels the request or disconnects. */
  signal: AbortSignal;
  /** Runs a task when the response was sent, for example with updates about a session that the response announces. */
  afterResponse(task: () => void): void;
};

/** The methods of an agent. A thrown error is described by `describeError`. */
export type AcpHandlers = {
  initialize(params: InitializeRequest, request: AcpRequest): Promise<InitializeResponse>;
  authenticate(params: AuthenticateRequest): Promise<void>;
  newSession(params: NewSessionRequest, request: AcpRequest): Promise<NewSessionResponse>;
  loadSession(params: LoadSessionRequest, request: AcpRequest): Promise<LoadSessionResponse>;
  resumeSession(params: ResumeSessionRequest, request: AcpRequest): Promise<LoadSessionResponse>;
  forkSession(params: ForkSessionRequest, request: AcpRequest): Promise<ForkSessionResponse>;
  listSessions(params: ListSessionsRequest): Promise<ListSessionsResponse>;
  closeSession(params: CloseSessionRequest): Promise<void>;
  deleteSession(params: DeleteSessionRequest): Promise<void>;
  setTitle(params: SetTitleRequest): Promise<{ title: string }>;
  setMode(params: SetSessionModeRequest): Promise<void>;
  setConfigOption(params: SetSessionConfigOptionRequest): Promise<SetSessionConfigOptionResponse>;
  prompt(params: PromptRequest, request: AcpRequest): Promise<PromptResponse>;
  cancel(sessionId: string): void;
};

/** The methods of the client. */
export type AcpClient = {
  update(sessionId: string, update: SessionUpdate): Promise<void>;
  requestPermission(params: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
  elicit(params: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse>;
  readTextFile(sessionId: string, path: string): Promise<string>;
  writeTextFile(sessionId: string, path: string, content: string): Promise<void>;
};

/** An error as the client receives it. */
export type AcpError = { code: number; message: string; data?: JsonObject };

export type AcpConnectionOptions = {
  input: Readable;
  output: Writable;
  /** Creates the handlers for a client. */
  handlers(client: AcpClient): AcpHandlers;
  describeError(thrown: unknown): AcpError;
};

export type AcpConnection = { readonly closed: Promise<void>; close(): void };

export const PROTOCOL: number = PROTOCOL_VERSION;

/** Answers the requests of a client until the input ends. */
export function openAcpConnection(options: AcpConnectionOptions): AcpConnection {
  const { stream, afterResponse } = watchResponses(options);
  const connected = Promise.withResolvers<AgentContext>();
  const handlers = options.handlers(toClient(() => connected.promise));
  const connection = createApp(handlers, afterResponse, options.describeError).connect(stream);
  connected.resolve(connection.client);
  return { closed: connection.closed, close: () => connection.close() };
}

type AfterResponse = (requestId: unknown, task: () => void) => void;
type Call<Params> = { params: Params; signal: AbortSignal; requestId: unknown };

function createApp(handlers: AcpHandlers, afterResponse: AfterResponse, describeError: (thrown: unknown) => AcpError) {
  const { session, initialize, authenticate } = methods.agent;
  /** Calls a handler, and converts what it throws. */
  const answer =
    <Params, Response>(handler: (params: Params, request: AcpRequest) => Promise<Response>) =>
    async ({ params, signal, requestId }: Call<Params>): Promise<Response> => {
      try {
        return await handler(params, { signal, afterResponse: (task) => afterResponse(requestId, task) });
      } catch (thrown) {
        if (thrown instanceof RequestError) throw thrown;
        const { code, message, data } = describeError(thrown);
        throw new RequestError(code, message, data);
      }
    };
  return agent({ name: 'hermes-agent-ts' })
    .onRequest(initialize, answer(handlers.initialize))
    .onRequest(authenticate, answer(handlers.authenticate))
    .onRequest(session.new, answer(handlers.newSession))
    .onRequest(session.load, answer(handlers.loadSession))
    .onRequest(session.resume, answer(handlers.resumeSession))
    .onRequest(session.list, answer(handlers.listSessions))
    .onRequest(session.close, answer(handlers.closeSession))
    .onRequest(session.delete, answer(handlers.deleteSession))
    .onRequest(session.setMode, answer(handlers.setMode))
    .onRequest(session.setConfigOption, answer(handlers.setConfigOption))
    .onRequest(session.prompt, answer(handlers.prompt))
    .onRequest('session/fork', readFork, answer(handlers.forkSession))
    .onRequest('session/set_title', readTitle, answer(handlers.setTitle))
    .onNotification(session.cancel, ({ params }) => handlers.cancel(params.sessionId));
}

function readFork(params: unknown): ForkSessionRequest {
  const { sessionId, cwd, mcpServers, additionalDirectories } = params as Partial<ForkSessionRequest>;
  if (typeof sessionId !== 'string' || typeof cwd !== 'string')
    throw RequestError.invalidParams(undefined, 'sessionId and cwd are required');
  return { sessionId, cwd, mcpServers: mcpServers ?? [], additionalDirectories: additionalDirectories ?? [] };
}

function readTitle(params: unknown): SetTitleRequest {
  const { sessionId, title } = params as Partial<SetTitleRequest>;
  if (typeof sessionId !== 'string' || typeof title !== 'string')
    throw RequestError.invalidParams(undefined, 'sessionId and title are required');
  return { sessionId, title };
}

function toClient(connected: () => Promise<AgentContext>): AcpClient {
  const { session, elicitation, fs } = methods.client;
  return {
    update: async (sessionId, update) => (await connected()).notify(session.update, { sessionId, update }),
    requestPermission: async (params, signal) =>
      (await connected()).request(session.requestPermission, params, { cancellationSignal: signal }),
    elicit: async (params, signal) =>
      (await connected()).request(elicitation.create, params, { cancellationSignal: signal }),
    readTextFile: async (sessionId, path) =>
      (await (await connected()).request(fs.readTextFile, { sessionId, path })).content,
    async writeTextFile(sessionId, path, content) {
      await (await connected()).request(fs.writeTextFile, { sessionId, path, content });
    },
  };
}

/** The stream of messages, and the tasks that wait for a response. */
function watchResponses({ input, output }: AcpConnectionOptions) {
  const waiting = new Map<unknown, (() => void)[]>();
  const { readable, writable } = ndJsonStream(
    Writable.toWeb(output),
    Readable.toWeb(input) as ReadableStream<Uint8Array>,
  );
  const writer = writable.getWriter();
  const watched = new WritableStream<AnyMessage>({
    async write(message) {
      await writer.write(message);
      if ('method' in message || !('id' in message)) return;
      const tasks = waiting.get(message.id) ?? [];
      waiting.delete(message.id);
      // A request that failed has announced nothing.
      if ('result' in message) for (const task of tasks) task();
    },
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
  const afterResponse: AfterResponse = (requestId, task) => {
    waiting.set(requestId, [...(waiting.get(requestId) ?? []), task]);
  };
  return { stream: { readable, writable: watched }, afterResponse };
}
