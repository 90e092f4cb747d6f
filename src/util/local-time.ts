/** Local time to the minute, like the one in the ids; 0 is what the store makes of a time that it cannot read. */
export function localTime(timestamp: number): string {
  const at = new Date(timestamp);
  // Another program writes into the same file, and a list is no place to fail over one row.
  if (timestamp === 0 || Number.isNaN(at.getTime())) return 'at a time unknown';
  return `${localDay(timestamp)} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

export function localDay(timestamp: number): string {
  const at = new Date(timestamp);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** Local time to the second for the name of a file: `20260501-101500`. */
export function timeInName(timestamp: number): string {
  const at = new Date(timestamp);
  return `${localDay(timestamp).replaceAll('-', '')}-${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
