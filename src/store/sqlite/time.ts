/** The file keeps seconds since 1970, as the original does; everywhere else time is in milliseconds. */
export function toSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}

export function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}
