import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';

const MOST_MARKS = 4;
const LIVES: readonly (JsonValue | undefined)[] = [undefined, '5m', '1h'];

/** What a provider refuses about the cache marks of a request. */
export function findMarkFaults(body: JsonObject): string[] {
  const marked = findMarked(body, '');
  const faults =
    marked.length > MOST_MARKS ? [`${marked.length} blocks have cache_control, 4 at most are allowed`] : [];
  return [...faults, ...marked.flatMap(({ place, holder }) => faultsOf(place, holder))];
}

type Marked = { place: string; holder: JsonObject };

function findMarked(value: JsonValue, place: string): Marked[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, child]) =>
    findMarked(child, place === '' ? key : `${place}.${key}`),
  );
  return isJsonObject(value) && value.cache_control !== undefined ? [{ place, holder: value }, ...inner] : inner;
}

function faultsOf(place: string, holder: JsonObject): string[] {
  const { cache_control: mark, type, role } = holder;
  const faults: string[] = [];
  if (!isJsonObject(mark) || mark.type !== 'ephemeral' || !LIVES.includes(mark.ttl)) {
    faults.push(`${place}.cache_control: not a cache mark`);
  }
  if (type === 'thinking' || type === 'redacted_thinking') faults.push(`${place}: thinking cannot carry a cache mark`);
  // Some services wait for ever where a message itself carries the mark and not a part of it.
  if (role !== undefined) faults.push(`${place}: a cache mark belongs on a part of the content`);
  if (type === 'text' && (holder.text === '' || holder.text === undefined))
    faults.push(`${place}: empty text has a mark`);
  return faults;
}
