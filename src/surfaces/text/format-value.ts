import type { JsonValue } from '../../base/index.ts';

/** Formats a value on one line: strings as they are, lists with commas, everything else as JSON. */
export function formatValue(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) {
    return value.length === 0 ? '[]' : value.join(', ');
  }
  return JSON.stringify(value);
}
