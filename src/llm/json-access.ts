import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';

// Responses of providers may deviate from their documentation, so these readers return undefined for unexpected
// types.

export function asObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function asArray(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** The objects in an array; other elements are dropped. */
export function asObjects(value: JsonValue | undefined): JsonObject[] {
  return asArray(value).filter(isJsonObject);
}

export function asString(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A non-empty string. */
export function asText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function asNumber(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The largest plausible token count. Values up to here can be summed without losing precision. */
const MAX_COUNT = 1e9;

/** A token count as an integer; anything that is not a positive number is 0. */
export function asCount(value: JsonValue | undefined): number {
  const count = asNumber(value);
  return count !== undefined && count > 0 ? Math.min(Math.round(count), MAX_COUNT) : 0;
}

/**
 * Whether a body reports an error. Many servers send `"error": null` with every successful response, and MiniMax
 * sends the code 0.
 */
export function hasError(body: JsonObject): boolean {
  const code = asNumber(asObject(body.base_resp)?.status_code) ?? 0;
  return (body.error !== undefined && body.error !== null) || code !== 0;
}
