/** The end of a long output gets more space than its beginning, because results and errors are there. */
const HEAD_SHARE = 0.4;

/** The last position up to `index` that does not split a surrogate pair. */
function cutBefore(text: string, index: number): number {
  const code = text.charCodeAt(index - 1);
  return code >= 0xd800 && code <= 0xdbff ? index - 1 : index;
}

/** The first position from `index` on that does not split a surrogate pair. */
function cutAfter(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index + 1 : index;
}

/** The first `limit` characters, without splitting a surrogate pair. */
export function takeStart(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, cutBefore(text, limit));
}

/** The last `limit` characters, without splitting a surrogate pair. */
export function takeEnd(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(cutAfter(text, text.length - limit));
}

/** Collapses whitespace and truncates to `limit` characters, for messages. */
export function shorten(text: string, limit: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${takeStart(line, limit - 1)}…`;
}

export type HeadAndTail = { head: string; tail: string; omitted: number };

/** Keeps the first 40 % and the last 60 % of a text that is too long; `omitted` is 0 if it fits. */
export function splitMiddle(text: string, limit: number): HeadAndTail {
  if (text.length <= limit) return { head: text, tail: '', omitted: 0 };
  const headLimit = Math.floor(limit * HEAD_SHARE);
  const head = takeStart(text, headLimit);
  const tail = takeEnd(text, limit - headLimit);
  return { head, tail, omitted: text.length - head.length - tail.length };
}

/** Joins the two parts of a truncated text with a notice in the gap. `where` says how to get the rest. */
export function joinTruncated({ head, tail, omitted }: HeadAndTail, where = ''): string {
  if (omitted === 0) return head + tail;
  return `${head}\n[… ${omitted} characters omitted${where === '' ? '' : `. ${where}`} …]\n${tail}`;
}

/** Truncates the middle of a text that is too long and adds a notice. */
export function truncateMiddle(text: string, limit: number): string {
  return joinTruncated(splitMiddle(text, limit));
}

/** Collects streamed text in bounded memory, keeping the same parts as `splitMiddle`. */
export function createHeadTailBuffer(limit: number): { push(text: string): void; finish(): HeadAndTail } {
  const headLimit = Math.floor(limit * HEAD_SHARE);
  let head = '';
  let rest = '';
  let dropped = 0;
  return {
    push(text) {
      const room = headLimit - head.length;
      if (room > 0) head += text.slice(0, room);
      rest += room > 0 ? text.slice(room) : text;
      // Trimming only at twice the limit keeps the cost per character constant.
      if (rest.length > 2 * limit) {
        // One character more than needed, so that the final cut can detect a surrogate pair.
        dropped += rest.length - limit - 1;
        rest = rest.slice(-limit - 1);
      }
    },
    finish() {
      if (dropped === 0 && head.length + rest.length <= limit) return { head: head + rest, tail: '', omitted: 0 };
      const cleanHead = head.slice(0, cutBefore(head, head.length));
      const tail = takeEnd(rest, limit - headLimit);
      return { head: cleanHead, tail, omitted: dropped + rest.length - tail.length + head.length - cleanHead.length };
    },
  };
}
