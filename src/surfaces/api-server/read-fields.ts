import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { HttpError } from '../../http/index.ts';

/** An error about a field of a request. */
export function invalid(field: string, problem: string): HttpError {
  const end = problem.endsWith('.') ? '' : '.';
  return new HttpError(400, 'invalid_value', `\`${field}\` ${problem}${end}`, {}, field);
}

/** Every body of the API is an object. */
export function requireObject(body: JsonValue): JsonObject {
  if (!isJsonObject(body)) throw invalid('body', 'must be an object');
  return body;
}

/** Clients also send `null` or an empty text for a field that they do not set. */
export function readText(value: JsonValue | undefined, field: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw invalid(field, 'must be text');
  return value;
}
