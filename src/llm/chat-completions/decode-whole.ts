import type { JsonObject } from '../../base/index.ts';
import { asObject, asObjects, hasError } from '../json-access.ts';
import { END_MARK } from '../wire-format.ts';

/** A whole completion is one large chunk: its message has the fields of a delta. */
export function eventsOfWholeChat(body: JsonObject): JsonObject[] {
  if (hasError(body) || body.object === 'error') return [body];
  const choice = asObjects(body.choices)[0];
  const message = asObject(choice?.message);
  // Something else altogether must not look like an empty answer.
  if (message === undefined) return [];
  // In one piece every entry is a call of its own, which only an index says.
  const calls = asObjects(message.tool_calls).map((call, index) => ({ ...call, index }));
  const chunk = { ...body, choices: [{ ...choice, index: 0, delta: { ...message, tool_calls: calls } }] };
  return [chunk, END_MARK];
}
