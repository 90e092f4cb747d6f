import { isJsonObject, type JsonValue } from '../../base/index.ts';
import { redactSecrets } from '../../util/index.ts';

/** The first place at which a text differs from another, with some of both. */
export type Difference = { line: number; before: string; after: string };

const SHOWN_BEFORE = 20;
const SHOWN = 80;

/** Undefined where both are the same. Secrets are taken out of what is shown. */
export function findTextDifference(before: string, after: string): Difference | undefined {
  if (before === after) return undefined;
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const line = before.slice(0, same).split('\n').length;
  const start = Math.max(before.lastIndexOf('\n', same - 1) + 1, same - SHOWN_BEFORE);
  return { line, before: excerpt(before, start), after: excerpt(after, start) };
}

export function describeDifference({ before, after }: Difference): string {
  return `"${before}" is "${after}" now.`;
}

function excerpt(text: string, start: number): string {
  return (
    redactSecrets(text)
      .slice(start, start + SHOWN)
      .split('\n', 1)[0] ?? ''
  );
}

/** Only ever inside quotes that are escaped could this be text of somebody. */
const CACHE_MARK = /,"cache_control":\{[^{}]*\}/g;

export function withoutMarks(body: string): string {
  return body.replace(CACHE_MARK, '');
}

/** Whether a body is the one before and more, cache marks left out. */
export function isExtension(before: string, after: string): boolean {
  const [old, now] = [withoutMarks(before), withoutMarks(after)];
  let same = 0;
  while (same < old.length && old[same] === now[same]) same += 1;
  // What closes the last list and the body comes later in a longer one.
  return /^[\]}]*$/.test(old.slice(same));
}

/** Where two bodies part, as a path such as `messages.3.content`. More at the end of a list is no difference. */
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
