import type { JsonValue } from '../../../base/index.ts';

/** Text that `JSON.stringify` puts in as it is. The library of types does not know these yet; every Node we run on has them. */
type RawJson = { readonly rawJSON: string };
type ExactJson = {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};
const { parse, rawJSON, isRawJSON } = JSON as unknown as ExactJson;

/**
 * JSON whose numbers are written again as they were: 12345678901234567890 and 1.0 stay what they are, where reading them
 * as numbers would make 12345678901234567000 and 1 of them. Undefined where the text is no JSON.
 */
export function parseExactly(text: string): JsonValue | undefined {
  try {
    return parse(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined && source !== String(value) ? rawJSON(source) : value,
    ) as JsonValue;
  } catch {
    return undefined;
  }
}

/** A number that is kept as text: it looks like an object and is none. */
export function isExactNumber(value: unknown): boolean {
  return isRawJSON(value);
}
