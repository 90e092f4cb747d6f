import { isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import { asObject, asString } from '../json-access.ts';

/** What one session hears from the agent. */
export type SessionListener = { onUpdate(update: JsonObject): void; onDenied(toolCallId: string): void };

/** All that comes out of an agent, and who wants to hear which part of it. */
export type AgentOutput = {
  feed(bytes: Uint8Array): void;
  listen(sessionId: string, listener: SessionListener): () => void;
  /** Called whenever anything comes. */
  onActivity(listener: () => void): () => void;
  denied(sessionId: string, toolCallId: string): void;
  /** Whether it has ever spoken the protocol, and what it said before. */
  spoke(): boolean;
  greeting(): string;
};

export type OutputTarget = {
  /** Answers and requests, for the protocol. */
  onMessage(message: JsonObject): void;
  /** What came cannot be relied on. */
  onFault(fault: string): void;
};

export function createAgentOutput({ onMessage, onFault }: OutputTarget): AgentOutput {
  const lines = createMessageLines();
  const sessions = new Map<string, SessionListener>();
  const activity = new Set<() => void>();
  let spoke = false;

  /** Updates are taken here, in the order in which they come, so that none is overtaken by the end of its answer. */
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
    spoke: () => spoke,
    greeting: () => lines.said().trim(),
  };
}

/** Cuts what an agent writes into messages, one per line. */
type MessageLines = {
  /** The messages that are whole now, or what is wrong with what came. */
  feed(bytes: Uint8Array): { messages: JsonObject[]; fault?: string };
  /** What was said before the first message: not part of the protocol, but mostly the reason why there is none. */
  said(): string;
};

/** Far above any message; below what would hurt the process. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;
/** More than any greeting: whatever says this much before its first message does not speak the protocol. */
const MAX_GREETING_LENGTH = 64 * 1024;

/**
 * A program may say something before it begins to speak the protocol. After that a line that is no message means that a
 * message was damaged, and an answer with a hole must not pass for a whole one.
 */
export function createMessageLines(): MessageLines {
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
    if (begun) return `a line that is no message: ${line.slice(0, 200)}`;
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
      // A line is put together once, when it is whole: it may come in very many pieces.
      if (length > MAX_LINE_LENGTH) return { messages, fault: 'a message of more than 64 MB' };
      return { messages };
    },
    said: () => said,
  };
}
