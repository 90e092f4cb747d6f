/**
 * Local time to the minute, in the same time zone as session ids. The store returns 0 for a timestamp that it cannot
 * read.
 */
export function localTime(timestamp: number): string {
  const at = new Date(timestamp);
  // Another program may have written an invalid timestamp, and one bad row must not break a whole list.
  if (timestamp === 0 || Number.isNaN(at.getTime())) return 'unknown time';
  return `${localDay(timestamp)} ${padTwo(at.getHours())}:${padTwo(at.getMinutes())}`;
}

export function localDay(timestamp: number): string {
  const at = new Date(timestamp);
  return `${at.getFullYear()}-${padTwo(at.getMonth() + 1)}-${padTwo(at.getDate())}`;
}

/** Local time to the second for file names: `20260501-101500`. */
export function timestampForFileName(timestamp: number): string {
  const at = new Date(timestamp);
  return `${localDay(timestamp).replaceAll('-', '')}-${padTwo(at.getHours())}${padTwo(at.getMinutes())}${padTwo(at.getSeconds())}`;
}

function padTwo(value: number): string {
  return String(value).padStart(2, '0');
}
