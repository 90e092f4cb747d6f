import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';

/** Readers of fields that may be missing or of another type: a new version of the API must not stop the bot. */
export const objectAt = (from: JsonObject | undefined, name: string): JsonObject | undefined => {
  const value = from?.[name];
  return isJsonObject(value) ? value : undefined;
};

export const textAt = (from: JsonObject | undefined, name: string): string | undefined => {
  const value = from?.[name];
  return typeof value === 'string' ? value : undefined;
};

export const numberAt = (from: JsonObject | undefined, name: string): number | undefined => {
  const value = from?.[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

export const listAt = (from: JsonObject | undefined, name: string): JsonObject[] => {
  const value: JsonValue | undefined = from?.[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
};

/** Ids are numbers in the API and text everywhere else. */
export const idAt = (from: JsonObject | undefined, name: string): string | undefined => {
  const value = numberAt(from, name);
  return value === undefined || !Number.isSafeInteger(value) ? undefined : String(value);
};
