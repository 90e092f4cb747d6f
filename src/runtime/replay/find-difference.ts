import { isJsonObject, type JsonValue } from '../../base/index.ts';
import { redactSecrets } from '../../util/index.ts';

/** The first position where two texts differ, with an excerpt of both. */
export type Difference = { line: number; before: string; after: string };

const SHOWN_BEFORE = 20;
const SHOWN = 80;

/** Returns undefined if both are equal. Secrets are redacted in the excerpts. */
export function findTextDifference(before: string, after: string): Difference | undefined {
  if (before === after) return undefined;
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const line = before.slice(0, same).split('\n').length;
  const start = Math.max(before.lastIndexOf('\n', same - 1) + 1, same - SHOWN_BEFORE);
  return { line, before: excerpt(before, start), after: excerpt(after, start) };
}

export function describeDifference({ before, after }: Difference): string {
  return `"${before}" is now "${after}".`;
}

function excerpt(text: string, start: number): string {
  return (
    redactSecrets(text)
      .slice(start, start + SHOWN)
      .split('\n', 1)[0] ?? ''
  );
}

/** Matches a cache marker. User text cannot match, because quotes inside JSON strings are escaped. */
const CACHE_MARKER = /,"cache_control":\{[^{}]*\}/g;

export function withoutCacheMarkers(body: string): string {
  return body.replace(CACHE_MARKER, '');
}

/** Whether a request body extends the previous one, ignoring cache markers. */
export function isExtension(before: string, after: string): boolean {
  const [old, now] = [withoutCacheMarkers(before), withoutCacheMarkers(after)];
  let same = 0;
  while (same < old.length && old[same] === now[same]) same += 1;
  // Only closing brackets may differ: a longer body has additional items before them.
  return /^[\]}]*$/.test(old.slice(same));
}

/**
 * The path at which two bodies differ, such as `messages.3.content`. Additional items at the end of a list are not a
 * difference.
 */
export function findPath(
  before: JsonValue,
  after: JsonValue | undefined,
  path: readonly string[] = [],
): string[] | undefined {
  if (isJsonObject(before) && isJsonObject(after)) return firstPath(Object.keys(before), before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) {
    const entries = (list: readonly JsonValue[]) => Object.fromEntries(list.entries()) as Record<string, JsonValue>;
    return firstPath(Object.keys(before), entries(before), entries(after), path);
  }
  return before === after ? undefined : [...path];
}

function firstPath(
  keys: readonly string[],
  before: Record<string, JsonValue>,
  after: Record<string, JsonValue>,
  path: readonly string[],
): string[] | undefined {
  for (const key of keys) {
    const found = findPath(before[key] as JsonValue, after[key], [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
