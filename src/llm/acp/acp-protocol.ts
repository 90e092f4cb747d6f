// The one file that loads the official package. It is a file of its own in the build, so it shares nothing with the
// rest but plain values: a class that both sides had would be two classes there.
import { type AnyMessage, client, methods, PROTOCOL_VERSION, type PermissionOption } from '@agentclientprotocol/sdk';

export type AcpProtocolOptions = {
  /** Takes one message for the agent, without a line break. */
  send(line: string): Promise<void>;
  /** The agent asked whether it may use a tool of its own; the answer was no. */
  onDenied(request: { sessionId: string; toolCallId: string }): void;
};

/** Our side of the protocol: it asks, it answers, and grants nothing. */
export type AcpProtocol = {
  /** Takes an answer or a request of the agent. */
  receive(message: object): void;
  initialize(): Promise<unknown>;
  newSession(folder: string): Promise<unknown>;
  setOption(sessionId: string, configId: string, value: string): Promise<unknown>;
  /** How models were chosen before sessions had options. */
  setModel(sessionId: string, modelId: string): Promise<unknown>;
  prompt(sessionId: string, text: string): Promise<unknown>;
  cancel(sessionId: string): Promise<void>;
  endSession(sessionId: string, how: 'delete' | 'close'): Promise<unknown>;
  /** Ends it; whatever still waits for an answer gets the reason. */
  close(reason: unknown): void;
};

export const SPOKEN_VERSION: number = PROTOCOL_VERSION;

export function createAcpProtocol({ send, onDenied }: AcpProtocolOptions): AcpProtocol {
  let controller: ReadableStreamDefaultController<AnyMessage> | undefined;
  const readable = new ReadableStream<AnyMessage>({
    start(given) {
      controller = given;
    },
  });
  const writable = new WritableStream<AnyMessage>({ write: (message) => send(JSON.stringify(message)) });
  // Everything else an agent may ask for, files and terminals above all, has no handler here and is refused as unknown.
  const connection = client({ name: 'hermes-agent-ts' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      onDenied({ sessionId: params.sessionId, toolCallId: params.toolCall.toolCallId });
      return { outcome: denial(params.options) };
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

/** No for this once. A lasting no would be written down in the person's own settings of the agent. */
function denial(options: readonly PermissionOption[]) {
  const no = options.find((option) => option.kind === 'reject_once');
  if (no === undefined) return { outcome: 'cancelled' as const };
  return { outcome: 'selected' as const, optionId: no.optionId };
}
