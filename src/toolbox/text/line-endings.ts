export const BYTE_ORDER_MARK = '\uFEFF';

/** Whether every line of a text ends in CR LF. */
export function usesCrLf(text: string): boolean {
  return text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text);
}

export function toCrLf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** New content in the manner of the old: with its byte order mark and its line endings. */
export function inMannerOf(existing: string, content: string): string {
  const lines = usesCrLf(existing) ? toCrLf(content) : content;
  const needsMark = existing.startsWith(BYTE_ORDER_MARK) && !lines.startsWith(BYTE_ORDER_MARK);
  return needsMark ? BYTE_ORDER_MARK + lines : lines;
}

/** How many lines a text has; a newline at the end does not begin another. */
export function countLines(text: string): number {
  if (text === '') return 0;
  const breaks = text.split('\n').length - 1;
  return text.endsWith('\n') ? breaks : breaks + 1;
}
