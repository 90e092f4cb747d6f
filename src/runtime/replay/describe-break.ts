import type { JsonValue } from '../../base/index.ts';
import {
  describeDifference,
  findPath,
  findTextDifference,
  isExtension,
  withoutCacheMarkers,
} from './find-difference.ts';

/** Removes the cache markers of a part. A marker is inserted into the text of a message, never between two parts. */
export function withoutMarkers(part: string): string {
  return part.includes('"cache_control"') ? withoutCacheMarkers(part) : part;
}

/** What both bodies have left out: `omitted` equal values of the list of messages, after the first `headParts` parts. */
export type Omission = { headParts: number; omitted: number };

/** Describes why a body in parts does not extend the previous one; undefined if it does. */
export function describeBreak(
  before: readonly string[],
  after: readonly string[],
  omission: Omission,
): string | undefined {
  const start = countEqual(before, after);
  const rest = (parts: readonly string[]) => parts.slice(start).map(withoutMarkers).join('');
  if (isExtension(rest(before), rest(after))) return undefined;
  const equal = outlineOf(before.slice(0, start), omission);
  const [old, now] = [before, after].map((parts) => JSON.parse(equal + rest(parts)) as JsonValue);
  const path = findPath(old as JsonValue, now);
  const found = findTextDifference(textAt(old, path), textAt(now, path));
  const place = path === undefined ? 'in the order of its fields' : `at ${path.join('.')}`;
  return `It does not extend the previous request; first difference ${place}${found === undefined ? '.' : `: ${describeDifference(found)}`}`;
}

/** Whether two parts are equal apart from cache markers. */
export function isSamePart(one: string, other = ''): boolean {
  return one === other || withoutMarkers(one) === withoutMarkers(other);
}

function countEqual(a: readonly string[], b: readonly string[]): number {
  const different = a.findIndex((part, index) => !isSamePart(part, b[index]));
  return different < 0 ? a.length : different;
}

/** The equal start of two bodies, as short as possible but with all values, so that later paths stay the same. */
function outlineOf(parts: readonly string[], { headParts, omitted }: Omission): string {
  if (parts.length < headParts) return parts.map(outline).join('');
  const [head, list] = [parts.slice(0, headParts), parts.slice(headParts)].map((some) => some.map(outline).join(''));
  // In a list that starts with the system prompt, each further value follows a comma.
  const isContinued = parts[headParts] === ',';
  return `${head}${(isContinued ? ',0' : '0,').repeat(omitted)}${list}`;
}

function outline(part: string): string {
  const text = withoutMarkers(part);
  return '0,'.repeat(countValues(text)).slice(0, -1) || text;
}

/** The number of JSON objects in a part; 0 if the part is only a piece of one. */
export function countValues(part: string): number {
  if (!part.startsWith('{') || !part.endsWith('}')) return 0;
  try {
    return (JSON.parse(`[${part}]`) as unknown[]).length;
  } catch {
    return 0;
  }
}

function textAt(body: JsonValue | undefined, path: readonly string[] = []): string {
  let value: unknown = body;
  for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key];
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
