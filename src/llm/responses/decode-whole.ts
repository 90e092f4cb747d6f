import type { JsonObject } from '../../base/index.ts';
import { hasError } from '../json-access.ts';

/** A whole response is the one that the closing event of a stream carries. */
export function eventsOfWholeResponse(body: JsonObject): JsonObject[] {
  if (body.status === 'failed') return [{ type: 'response.failed', response: body }];
  if (body.status === 'incomplete') return [{ type: 'response.incomplete', response: body }];
  if (Array.isArray(body.output)) return [{ type: 'response.completed', response: body }];
  return hasError(body) ? [{ ...body, type: 'error' }] : [];
}
