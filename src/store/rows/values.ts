/** Databases keep seconds since 1970, as the original does; everywhere else time is in milliseconds. */
export function toSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}

/** Another program may have stored text, or no number at all: values that cannot be read become 0. */
export function toMilliseconds(seconds: unknown): number {
  const milliseconds = typeof seconds === 'string' ? Date.parse(seconds) : Number(seconds) * 1000;
  return Number.isFinite(milliseconds) ? Math.round(milliseconds) : 0;
}

/** Text that was read as bytes, so that no driver can cut it. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
