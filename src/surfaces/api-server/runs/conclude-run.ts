import { exitFacts, type JsonObject } from '../../../base/index.ts';
import type { StoredEvent } from '../../../contracts/index.ts';
import { toJsonLine } from '../../text/json-line.ts';

const REASON = 'the server stopped';
export const DIED = 'The server stopped during the run, so its outcome is unknown.';

/**
 * The last events of a run whose process died: text that was still streaming is discarded, questions are closed, and the
 * result says what happened.
 */
export function concludeRun(stored: readonly StoredEvent[]): JsonObject[] {
  const events = stored.map(({ event }) => event);
  const { exitCode } = exitFacts('failed');
  return [
    ...(isStreaming(events) ? [toJsonLine({ type: 'answer-discarded', reason: REASON })] : []),
    ...openRequests(events).map((requestId) => toJsonLine({ type: 'request-closed', requestId })),
    toJsonLine({
      type: 'result',
      finalResponse: '',
      sessionId: sessionOf(events),
      exitReason: 'failed',
      exitCode,
      error: { message: DIED },
    }),
  ];
}

const STREAMED: readonly unknown[] = ['text-delta', 'reasoning-delta', 'tool-call-seen'];
/** After these, what was streamed before is stored, or was discarded already. */
const SETTLED: readonly unknown[] = ['step-finished', 'tool-started', 'answer-discarded', 'thinking-started'];

function isStreaming(events: readonly JsonObject[]): boolean {
  const last = events.findLast(({ type }) => STREAMED.includes(type) || SETTLED.includes(type));
  return last !== undefined && STREAMED.includes(last['type']);
}

function openRequests(events: readonly JsonObject[]): string[] {
  const open = new Set<string>();
  for (const { type, request_id: id } of events) {
    if (typeof id !== 'string') continue;
    if (type === 'request') open.add(id);
    if (type === 'request-closed') open.delete(id);
  }
  return [...open];
}

function sessionOf(events: readonly JsonObject[]): string | undefined {
  const named = events.findLast(({ type }) => type === 'started' || type === 'compressed');
  const id = named?.['session_id'];
  return typeof id === 'string' ? id : undefined;
}
