import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import type { RequestField } from '../../contracts/index.ts';
import { takeStart } from '../../util/index.ts';

/** The whole payload. */
const RAW = '__raw__';
const MAX_RAW = 4000;
const MAX_NESTED = 2000;
const MAX_TEXT = 16_000;
/** Of all fields together. */
const MAX_FIELDS = 64_000;
const PLACEHOLDER = /\{([\w.-]{1,200})\}/g;

export type RenderedPrompt = {
  text: string;
  /** The values of the fields that the text refers to, each once. */
  fields: readonly RequestField[];
};

/**
 * Renders a template for a model. The text of the template stays as its owner wrote it: numbers, booleans and null
 * replace their placeholders, but all other values become fields, so that text of others is never part of the
 * instructions. A placeholder without a value stays.
 */
export function renderPrompt(template: string, payload: JsonObject): RenderedPrompt {
  const fields = new Map<string, string>();
  let left = MAX_FIELDS;
  const text = template.replace(PLACEHOLDER, (placeholder, path: string) => {
    const value = valueAt(payload, path);
    if (value === undefined || fields.has(path)) return placeholder;
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
    const shown = shorten(textOf(path, value), left);
    fields.set(path, shown);
    left -= Math.min(left, shown.length);
    return placeholder;
  });
  return { text, fields: [...fields].map(([name, value]) => ({ name, value })) };
}

/** Renders a template for users and programs: all values replace their placeholders. */
export function renderText(template: string, payload: JsonObject): string {
  return template.replace(PLACEHOLDER, (placeholder, path: string) => {
    const value = valueAt(payload, path);
    return value === undefined ? placeholder : textOf(path, value);
  });
}

/** Follows names and indexes, such as `commits.0.message`. Only what the payload itself contains is found. */
export function valueAt(payload: JsonObject, path: string): JsonValue | undefined {
  if (path === RAW) return payload;
  let value: JsonValue | undefined = payload;
  for (const name of path.split('.')) {
    if (Array.isArray(value)) value = /^\d{1,6}$/.test(name) ? value[Number(name)] : undefined;
    else if (isJsonObject(value)) value = Object.hasOwn(value, name) ? value[name] : undefined;
    else return undefined;
  }
  return value;
}

function textOf(path: string, value: JsonValue): string {
  if (typeof value === 'string') return shorten(value, MAX_TEXT);
  if (path === RAW) return shorten(JSON.stringify(value, null, 2), MAX_RAW);
  return shorten(JSON.stringify(value), MAX_NESTED);
}

function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${takeStart(text, limit)}… (${text.length - limit} characters omitted)`;
}
