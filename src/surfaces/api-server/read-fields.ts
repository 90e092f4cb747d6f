import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { HttpError } from '../../http/index.ts';

/** An error about a field of a request. */
export function invalid(field: string, problem: string): HttpError {
  const end = problem.endsWith('.') ? '' : '.';
  return new HttpError(400, 'invalid_value', `\`${field}\` ${problem}${end}`, {}, field);
}

/** The body of a request, or an object in it. */
export function requireObject(value: JsonValue | undefined, field = 'body'): JsonObject {
  if (!isJsonObject(value)) throw invalid(field, 'must be an object');
  return value;
}

/** Clients also send `null` or an empty text for a field that they do not set. */
export function readText(value: JsonValue | undefined, field: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw invalid(field, 'must be text');
  return value;
}
