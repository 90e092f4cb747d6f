/** Databases keep seconds since 1970, as the original does; everywhere else time is in milliseconds. */
export function toSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}

/** Another program may have left text, or no number at all, in its rows: what cannot be read becomes 0. */
export function toMilliseconds(seconds: unknown): number {
  const milliseconds = typeof seconds === 'string' ? Date.parse(seconds) : Number(seconds) * 1000;
  return Number.isFinite(milliseconds) ? Math.round(milliseconds) : 0;
}
