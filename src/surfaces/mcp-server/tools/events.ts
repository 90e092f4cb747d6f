import * as z from 'zod/mini';
import type { JsonObject } from '../../../base/index.ts';
import { clampLimit, defineServedTool, limitParameter } from '../define-served-tool.ts';
import type { EventBridge } from '../event-bridge.ts';
import type { ServedTool } from '../served-parts.ts';

const MAX_EVENTS = 200;
const MAX_WAIT_MS = 300_000;

const cursorParameter = z._default(
  z.int('an integer is required').check(z.describe('The cursor of the last event that you have read; 0 for none.')),
  0,
);
const keyParameter = z.optional(z.string().check(z.describe('Return only events of this chat.')));

const TYPES =
  'Events are: message (somebody or Hermes wrote in a chat), approval_requested and approval_resolved (in any session). They exist since this server started; the newest 1000 are kept.';

export function eventTools(bridge: EventBridge): ServedTool[] {
  return [
    defineServedTool({
      name: 'events_poll',
      title: 'Poll events',
      description: `Return the events after a cursor immediately. Pass next_cursor with the next call. ${TYPES}`,
      parameters: z.object({
        after_cursor: cursorParameter,
        session_key: keyParameter,
        limit: limitParameter('events', 20, MAX_EVENTS),
      }),
      readOnly: true,
      async run({ after_cursor: after, session_key: key, limit }) {
        const events = await bridge.read(after, { key, limit: clampLimit(limit, MAX_EVENTS) });
        return { result: { events, next_cursor: events.at(-1)?.cursor ?? after } };
      },
    }),
    defineServedTool({
      name: 'events_wait',
      title: 'Wait for an event',
      description: `Wait for the next event after a cursor, and return it. Without one, event is null after the timeout. ${TYPES}`,
      parameters: z.object({
        after_cursor: cursorParameter,
        session_key: keyParameter,
        timeout_ms: z._default(
          z.int('an integer is required').check(z.describe('Timeout in milliseconds (at most 300000).')),
          30_000,
        ),
      }),
      readOnly: true,
      async run({ after_cursor: after, session_key: key, timeout_ms: asked }, { signal }) {
        const timeoutMs = Math.max(0, Math.min(asked, MAX_WAIT_MS));
        const event = await bridge.wait(after, { key, timeoutMs, signal });
        const result: JsonObject = event === undefined ? { event: null, reason: 'timeout' } : { event };
        return { result };
      },
    }),
  ];
}
