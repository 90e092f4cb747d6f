import type { JsonObject } from '../../base/index.ts';
import { asObject, asString } from '../json-access.ts';
import { createMessageLines } from './message-lines.ts';

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
