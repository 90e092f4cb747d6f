// The only file that loads the official package. The build makes it a separate file, so it shares only plain values
// with the rest: a class used on both sides would exist twice.
import { type AnyMessage, client, methods, PROTOCOL_VERSION, type PermissionOption } from '@agentclientprotocol/sdk';

export type AcpProtocolOptions = {
  /** Sends one message to the agent; `line` has no line break. */
  send(line: string): Promise<void>;
  /** Called after a permission request of the agent was denied. */
  onDenied(request: { sessionId: string; toolCallId: string }): void;
};

/** The client side of the protocol. It denies every permission request. */
export type AcpProtocol = {
  /** Handles a response or a request of the agent. */
  receive(message: object): void;
  initialize(): Promise<unknown>;
  newSession(folder: string): Promise<unknown>;
  setOption(sessionId: string, configId: string, value: string): Promise<unknown>;
  /** The older way to select a model, before sessions had config options. */
  setModel(sessionId: string, modelId: string): Promise<unknown>;
  prompt(sessionId: string, text: string): Promise<unknown>;
  cancel(sessionId: string): Promise<void>;
  endSession(sessionId: string, how: 'delete' | 'close'): Promise<unknown>;
  /** Closes the connection; pending requests are rejected with the reason. */
  close(reason: unknown): void;
};

export const SUPPORTED_VERSION: number = PROTOCOL_VERSION;

export function createAcpProtocol({ send, onDenied }: AcpProtocolOptions): AcpProtocol {
  let controller: ReadableStreamDefaultController<AnyMessage> | undefined;
  const readable = new ReadableStream<AnyMessage>({
    start(given) {
      controller = given;
    },
  });
  const writable = new WritableStream<AnyMessage>({ write: (message) => send(JSON.stringify(message)) });
  // All other client methods, such as those for files and terminals, have no handler and are rejected as unknown.
  const connection = client({ name: 'hermes-agent-ts' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      onDenied({ sessionId: params.sessionId, toolCallId: params.toolCall.toolCallId });
      return { outcome: rejectOnce(params.options) };
    })
    .connect({ readable, writable });
  const { agent } = connection;
  const { session } = methods.agent;
  return {
    receive: (message) => controller?.enqueue(message as AnyMessage),
    initialize: () =>
      agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      }),
    newSession: (folder) => agent.request(session.new, { cwd: folder, mcpServers: [] }),
    setOption: (sessionId, configId, value) => agent.request(session.setConfigOption, { sessionId, configId, value }),
    setModel: (sessionId, modelId) => agent.request('session/set_model', { sessionId, modelId }),
    prompt: (sessionId, text) => agent.request(session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    cancel: (sessionId) => agent.notify(session.cancel, { sessionId }),
    endSession: (sessionId, how) => agent.request(session[how], { sessionId }),
    close: (reason) => connection.close(reason),
  };
}

/** Rejects once. A permanent rejection would be saved in the user's own settings of the agent. */
function rejectOnce(options: readonly PermissionOption[]) {
  const no = options.find((option) => option.kind === 'reject_once');
  if (no === undefined) return { outcome: 'cancelled' as const };
  return { outcome: 'selected' as const, optionId: no.optionId };
}
