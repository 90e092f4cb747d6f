export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON; undefined if the text is not valid JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** JSON with sorted keys and no whitespace: equal values always give equal bytes. */
export function canonicalJson(value: JsonValue): string {
  try {
    return JSON.stringify(sortKeys(value));
  } catch (thrown) {
    // The value is nested too deeply for recursive functions.
    if (thrown instanceof RangeError) return stringifyIteratively(value);
    throw thrown;
  }
}

/** The same output without recursion: slower, but without a depth limit. */
function stringifyIteratively(root: JsonValue): string {
  const parts: string[] = [];
  const left: ({ text: string } | { value: JsonValue })[] = [{ value: root }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if ('text' in next) parts.push(next.text);
    else if (Array.isArray(next.value)) {
      const items = next.value.flatMap((value, index) => [{ text: index === 0 ? '' : ',' }, { value }]);
      pushReversed(left, [{ text: '[' }, ...items, { text: ']' }]);
    } else if (isJsonObject(next.value)) {
      const object = next.value;
      const items = Object.keys(object)
        .sort()
        .flatMap((key, index) => [
          { text: `${index === 0 ? '' : ','}${JSON.stringify(key)}:` },
          { value: object[key] as JsonValue },
        ]);
      pushReversed(left, [{ text: '{' }, ...items, { text: '}' }]);
    } else parts.push(JSON.stringify(next.value));
  }
  return parts.join('');
}

function pushReversed<Item>(list: Item[], items: readonly Item[]): void {
  for (const item of items.toReversed()) list.push(item);
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) {
    // defineProperty, because assigning to "__proto__" would not create a key.
    Object.defineProperty(sorted, key, {
      value: sortKeys(value[key] as JsonValue),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return sorted;
}
