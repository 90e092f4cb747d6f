import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { asObjects, asText } from '../json-access.ts';

/** Adds streamed reasoning details: pieces of one text or summary become one entry again, everything else is kept as is. */
export function addReasoningDetails(details: readonly JsonValue[], added: readonly JsonObject[]): JsonValue[] {
  const result = [...details];
  for (const piece of added) {
    const last = result.at(-1);
    if (isJsonObject(last) && continues(last, piece)) result[result.length - 1] = joined(last, piece);
    else result.push(piece);
  }
  return result;
}

/** The plain text of details, for providers that send it nowhere else. */
export function textOfDetails(details: JsonValue | undefined): string {
  return asObjects(details)
    .map((detail) => asText(detail.text) ?? asText(detail.summary) ?? '')
    .join('');
}

const TEXT_FIELDS = ['text', 'summary'] as const;

function continues(last: JsonObject, piece: JsonObject): boolean {
  // Encrypted details are whole items: joining two would make both unreadable.
  if (piece.type !== 'reasoning.text' && piece.type !== 'reasoning.summary') return false;
  if (last.type !== piece.type || last.index !== piece.index) return false;
  // A signature closes its text.
  return !asText(last.signature) && (!asText(last.id) || !asText(piece.id) || last.id === piece.id);
}

function joined(last: JsonObject, piece: JsonObject): JsonObject {
  const result: JsonObject = { ...last };
  for (const [key, value] of Object.entries(piece)) {
    if (value !== null) result[key] = value;
  }
  for (const field of TEXT_FIELDS) {
    const text = (asText(last[field]) ?? '') + (asText(piece[field]) ?? '');
    if (text !== '') result[field] = text;
  }
  return result;
}
