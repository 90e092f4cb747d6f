import type { MessageRow } from '../message-row.ts';
import { indexTerms } from '../search/index-terms.ts';
import { messageText } from '../search/message-text.ts';
import { toArrayText } from './text-codec.ts';

/** The server takes a megabyte of terms for a message; their places in the index are counted with them. */
const MOST_TERMS = 15_000;
const MOST_BYTES = 600_000;

/** The terms of a message as a list for the index; NULL where they are too many: such a message is always looked at. */
export function termsOf(row: Pick<MessageRow, 'content' | 'tool_name' | 'tool_calls'>): string | null {
  const terms = [...indexTerms(messageText({ ...row, content: row.content ?? '' }))];
  if (terms.length > MOST_TERMS) return null;
  const list = toArrayText(terms);
  return Buffer.byteLength(list) > MOST_BYTES ? null : list;
}
