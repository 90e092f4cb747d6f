/** Local time, like the one in the ids; 0 is what the store makes of a time that it cannot read. */
export function localTime(timestamp: number): string {
  const at = new Date(timestamp);
  // Another program writes into the same file, and a list is no place to fail over one row.
  if (timestamp === 0 || Number.isNaN(at.getTime())) return 'at a time unknown';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
