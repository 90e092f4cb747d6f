import { errorMessage, isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { RunningProcess } from '../contracts/index.ts';
import { createMessageReader, encodeMessage } from './message-stream.ts';
import { createPendingRequests } from './pending-requests.ts';

/** `fault`: the server violated the protocol or a limit. `exit`: it ended, or was ended. */
export type EndCause = 'fault' | 'exit';

export type ConnectionHandlers = {
  onNotification(method: string, params: JsonObject): void;
  /** Answers a request of the server; undefined if the method is not supported. */
  onRequest(method: string, params: JsonObject): JsonValue | undefined;
  /** Called once, with the reason as the end of a sentence. */
  onClosed(reason: string, cause: EndCause): void;
};

/** A JSON-RPC connection to a language server over its stdin and stdout. */
export interface Connection {
  /** Rejects if the server reports an error, or when the connection is closed or the signal aborted. */
  request(method: string, params: JsonValue, signal: AbortSignal): Promise<JsonValue | undefined>;
  notify(method: string, params: JsonValue): void;
  /** Restarts the count of received bytes, which is limited. */
  allowOutput(): void;
  /** Kills the process tree. */
  close(reason?: string): Promise<void>;
}

const METHOD_NOT_FOUND = -32_601;
/** A server that does not read its input must not fill the memory, nor one that never stops writing. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
const MAX_RECEIVED_BYTES = 32 * 1024 * 1024;

export function openConnection(process: RunningProcess, handlers: ConnectionHandlers): Connection {
  const pending = createPendingRequests();
  let lastId = 0;
  let unsent = 0;
  let received = 0;
  let closedBecause: string | undefined;
  let killed: Promise<unknown> | undefined;

  function close(reason = 'was closed', cause: EndCause = 'exit'): Promise<unknown> {
    if (closedBecause === undefined) {
      closedBecause = reason;
      pending.rejectAll(reason);
      handlers.onClosed(reason, cause);
    }
    return (killed ??= process.kill().catch(() => false));
  }

  function send(message: JsonObject): void {
    if (closedBecause !== undefined) return;
    const text = encodeMessage(message);
    unsent += text.length;
    if (unsent > MAX_UNSENT_BYTES) return void close('does not read its input', 'fault');
    const written = () => (unsent -= text.length);
    process.write(text).then(written, (thrown: unknown) => close(`cannot be reached: ${errorMessage(thrown)}`));
  }

  function receive(message: JsonObject): void {
    const { id, method, params } = message;
    const given = isJsonObject(params) ? params : {};
    if (typeof method !== 'string') pending.settle(message);
    else if (id === undefined || id === null) handlers.onNotification(method, given);
    else respond(id, method, given);
  }

  function respond(id: JsonValue, method: string, params: JsonObject): void {
    const result = handlers.onRequest(method, params);
    if (result !== undefined) send({ id, result });
    else send({ id, error: { code: METHOD_NOT_FOUND, message: `${method} is not supported` } });
  }

  const read = createMessageReader(receive);
  process.onOutput((text) => {
    if (closedBecause !== undefined) return;
    received += text.length;
    try {
      if (received > MAX_RECEIVED_BYTES) void close('sends too much output', 'fault');
      else read(text);
    } catch (thrown) {
      void close(errorMessage(thrown), 'fault');
    }
  });
  void process.ended.then(({ exitCode, signalName }) =>
    close(signalName === undefined ? `exited with code ${exitCode}` : `was killed by ${signalName}`),
  );

  return {
    async request(method, params, signal) {
      if (closedBecause !== undefined) throw new Error(`the server ${closedBecause}`);
      const id = ++lastId;
      const answer = pending.waitFor(id, signal, () => send({ method: '$/cancelRequest', params: { id } }));
      if (!signal.aborted) send({ id, method, params });
      return answer;
    },
    notify: (method, params) => send({ method, params }),
    allowOutput() {
      received = 0;
    },
    async close(reason) {
      await close(reason);
    },
  };
}
