import { isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import { asObject, asString } from '../json-access.ts';

/** Receives the updates of one session. */
export type SessionListener = { onUpdate(update: JsonObject): void; onDenied(toolCallId: string): void };

/** Reads the output of an agent and dispatches it to the listeners. */
export type AgentOutput = {
  feed(bytes: Uint8Array): void;
  listen(sessionId: string, listener: SessionListener): () => void;
  /** Calls the listener on any output. */
  onActivity(listener: () => void): () => void;
  denied(sessionId: string, toolCallId: string): void;
  /** Whether a protocol message was received; `textBeforeProtocol` returns the output before the first one. */
  hasReceived(): boolean;
  textBeforeProtocol(): string;
};

export type OutputTarget = {
  /** Receives responses and requests. */
  onMessage(message: JsonObject): void;
  /** Called when the output is invalid. */
  onFault(fault: string): void;
};

export function createAgentOutput({ onMessage, onFault }: OutputTarget): AgentOutput {
  const lines = createMessageParser();
  const sessions = new Map<string, SessionListener>();
  const activity = new Set<() => void>();
  let spoke = false;

  /** Updates are dispatched here, in order, so that the end of the response cannot overtake them. */
  function takeMessage(message: JsonObject): void {
    if (message.method === undefined || message.id !== undefined) {
      onMessage(message);
      return;
    }
    const params = asObject(message.params);
    const update = asObject(params?.update);
    if (message.method !== 'session/update' || update === undefined) return;
    sessions.get(asString(params?.sessionId) ?? '')?.onUpdate(update);
  }

  return {
    feed(bytes) {
      const { messages, fault } = lines.feed(bytes);
      spoke ||= messages.length > 0;
      for (const listener of activity) listener();
      messages.forEach(takeMessage);
      if (fault !== undefined) onFault(fault);
    },
    listen(sessionId, listener) {
      sessions.set(sessionId, listener);
      return () => void sessions.delete(sessionId);
    },
    onActivity(listener) {
      activity.add(listener);
      return () => void activity.delete(listener);
    },
    denied: (sessionId, toolCallId) => sessions.get(sessionId)?.onDenied(toolCallId),
    hasReceived: () => spoke,
    textBeforeProtocol: () => lines.said().trim(),
  };
}

/** Splits the output into messages, one per line. */
type MessageParser = {
  /** Returns the complete messages, or a description of the invalid output. */
  feed(bytes: Uint8Array): { messages: JsonObject[]; fault?: string };
  /**
   * The text before the first message. It is not part of the protocol, but usually explains why there is no message.
   */
  said(): string;
};

/** Size limit for a message: far larger than any real one, but small enough not to exhaust memory. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;
/** Limit for the text before the first message. A program that prints more does not implement the protocol. */
const MAX_GREETING_LENGTH = 64 * 1024;

/**
 * A program may print text before the protocol starts. After that, an invalid line means that a message was damaged,
 * and an incomplete response must not be treated as complete.
 */
export function createMessageParser(): MessageParser {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  let begun = false;
  let said = '';

  function takeLine(line: string, messages: JsonObject[]): string | undefined {
    if (line.trim() === '') return undefined;
    const message = parseJson(line);
    if (isJsonObject(message) && message.jsonrpc === '2.0') {
      begun = true;
      messages.push(message);
      return undefined;
    }
    if (begun) return `a line that is not a message: ${line.slice(0, 200)}`;
    said += `${line}\n`;
    return said.length > MAX_GREETING_LENGTH ? 'text instead of messages' : undefined;
  }

  return {
    feed(bytes) {
      const messages: JsonObject[] = [];
      const [first = '', ...others] = decoder.decode(bytes, { stream: true }).split('\n');
      parts.push(first);
      length += first.length;
      for (const next of others) {
        const fault = takeLine(parts.join(''), messages);
        if (fault !== undefined) return { messages, fault };
        parts = [next];
        length = next.length;
      }
      // The parts of a line are joined only once, because it may arrive in very many chunks.
      if (length > MAX_LINE_LENGTH) return { messages, fault: 'a message larger than 64 MB' };
      return { messages };
    },
    said: () => said,
  };
}
