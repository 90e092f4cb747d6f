import type { JsonObject } from '../../../base/index.ts';
import type { StoredEvent, StoredResponse } from '../../../contracts/index.ts';
import { findHolder } from '../../../runtime/index.ts';
import { hasDied, processName } from '../../../util/process-name.ts';
import type { Conclude } from '../streams/event-streams.ts';
import { readStoredEvent } from './event-sinks.ts';
import type { Item } from './items.ts';
import { failure, finalEvent } from './response-object.ts';
import { lifecycle, type RunParts } from './run-response.ts';
import { lastMessageOf } from './place-response.ts';
import { itemsOfResponse } from './stored-items.ts';
import { createStreamItems } from './stream-items.ts';
import { endItems, inStreamOrder } from './turn-events.ts';

const LOST = 'The server stopped before the response was complete. What it had stored is in the output.';

/**
 * Ends a response whose process died. What the turn had stored stays its output; text that was still streaming is
 * discarded. Returns the response as it is now.
 */
export async function settleResponse(
  parts: RunParts,
  response: StoredResponse,
  isRunningHere: boolean,
): Promise<StoredResponse> {
  if (response.endedAt !== undefined || isRunningHere || !(await isDead(parts, response))) return response;
  const { id, owner, sessionId } = response;
  const { store, clock } = parts.runtime;
  const newest = (await store.newestInLineage(sessionId))?.id ?? sessionId;
  const lastMessage = Math.max(response.afterMessage, await lastMessageOf(store, newest));
  const ended = { ...response, ...failure('server_error', LOST), sessionId: newest, lastMessage, endedAt: clock.now() };
  const output = (await itemsOfResponse(store, ended))?.output ?? [];
  await parts.streams.settle(id, createConclusion(ended, output));
  await parts.responses.endResponse(id, ended);
  return (await parts.responses.getResponse(id, owner)) ?? ended;
}

/** The last events of a stream whose process died: they follow from what was streamed and from what was stored. */
export function createConclusion(ended: StoredResponse, output: readonly Item[]): Conclude {
  return (events: readonly StoredEvent[]): JsonObject[] => {
    const items = createStreamItems();
    for (const { event } of events) items.restore(readStoredEvent(event).data);
    const last = endItems(items, output);
    const state = { ...ended, output: inStreamOrder(output, items.announced()) };
    return [...last, lifecycle(finalEvent(ended.status), state)];
  };
}

/** How long a response may wait for its turn without a sign of life, where its process cannot be looked up. */
const WAITING_MS = 60_000;

/** Whether the process that ran a response is gone. This process knows what it runs. */
async function isDead({ runtime, store }: RunParts, response: StoredResponse): Promise<boolean> {
  const { id, process, sessionId, createdAt } = response;
  const known = process === processName() || hasDied(process);
  if (known !== undefined) return known;
  const stream = await store.getStream(id);
  if (stream !== undefined) return stream.isEnded || stream.isExpired;
  const newest = (await runtime.store.newestInLineage(sessionId))?.id ?? sessionId;
  const holder = await findHolder(runtime.store, newest);
  return holder === undefined && runtime.clock.now() - createdAt > WAITING_MS;
}
