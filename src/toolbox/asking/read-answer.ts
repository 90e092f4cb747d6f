import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';

// What services answer is taken as it comes: each of these gives undefined where the form is another one.

export function answerOf(body: string | Uint8Array): JsonObject | undefined {
  return asObject(parseJson(typeof body === 'string' ? body : new TextDecoder().decode(body)));
}

export function valueIn(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}

export function objectIn(value: JsonValue | undefined, key: string): JsonObject | undefined {
  return asObject(valueIn(value, key));
}

export function firstOf(list: JsonValue | undefined): JsonObject | undefined {
  return Array.isArray(list) ? asObject(list[0]) : undefined;
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
