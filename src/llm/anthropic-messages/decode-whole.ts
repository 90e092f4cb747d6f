import type { JsonObject } from '../../base/index.ts';
import { asObjects, hasError } from '../json-access.ts';

/** The events a stream of this message would have had: each block comes whole with its start. */
export function eventsOfWholeMessage(body: JsonObject): JsonObject[] {
  if (body.type === 'error' || hasError(body)) return [{ ...body, type: 'error' }];
  if (!Array.isArray(body.content)) return [];
  const blocks = asObjects(body.content).map((block, index) => ({
    type: 'content_block_start',
    index,
    content_block: block,
  }));
  const end: JsonObject = {
    type: 'message_delta',
    // A whole message is whole even where a server leaves out why it ended.
    delta: { stop_reason: body.stop_reason ?? 'end_turn', stop_details: body.stop_details ?? null },
    usage: body.usage ?? null,
  };
  return [...blocks, end, { type: 'message_stop' }];
}
