import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';

// What a provider sends is never trusted to have the documented shape: each reader gives undefined for anything else.

export function asObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function asArray(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of an array; whatever else is in it is left out. */
export function asObjects(value: JsonValue | undefined): JsonObject[] {
  return asArray(value).filter(isJsonObject);
}

export function asString(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A string with something in it. */
export function asText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function asNumber(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** No call reads or writes as many tokens; figures up to here can be added up for ever without losing one. */
const MAX_COUNT = 1e9;

/** A token count, as a whole number: anything that is not a positive number counts as none. */
export function asCount(value: JsonValue | undefined): number {
  const count = asNumber(value);
  return count !== undefined && count > 0 ? Math.min(Math.round(count), MAX_COUNT) : 0;
}

/** Many servers write `"error": null` into every answer that went well; MiniMax has a code that is then 0. */
export function hasError(body: JsonObject): boolean {
  const code = asNumber(asObject(body.base_resp)?.status_code) ?? 0;
  return (body.error !== undefined && body.error !== null) || code !== 0;
}
