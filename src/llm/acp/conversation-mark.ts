import { createHash } from 'node:crypto';
import type { ModelRequest } from '../../contracts/index.ts';

const LENGTH = 10;

/**
 * A code that stands in every heading and every call of a conversation. It follows from how the conversation began, so
 * that it stays the same from request to request, and nobody who only wrote a file or a web page can know it.
 */
export function markOf({ system, messages }: Pick<ModelRequest, 'system' | 'messages'>): string {
  const first = messages[0];
  const text = JSON.stringify([system, first?.role ?? '', first?.content ?? '']);
  return createHash('sha256').update(text).digest('hex').slice(0, LENGTH);
}

/** Content with the mark broken wherever it stands in it, so that no content can pass for a heading or a call. */
export function withoutMark(content: string, mark: string): string {
  return content.replaceAll(mark, `${mark.slice(0, LENGTH / 2)}-${mark.slice(LENGTH / 2)}`);
}
