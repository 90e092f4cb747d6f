/**
 * Local time to the minute, in the same time zone as session ids. The store returns 0 for a timestamp that it cannot
 * read.
 */
export function localTime(timestamp: number): string {
  const at = new Date(timestamp);
  // Another program may have written an invalid timestamp, and one bad row must not break a whole list.
  if (timestamp === 0 || Number.isNaN(at.getTime())) return 'unknown time';
  return `${localDay(timestamp)} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

export function localDay(timestamp: number): string {
  const at = new Date(timestamp);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** Local time to the second for file names: `20260501-101500`. */
export function timeInName(timestamp: number): string {
  const at = new Date(timestamp);
  return `${localDay(timestamp).replaceAll('-', '')}-${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
