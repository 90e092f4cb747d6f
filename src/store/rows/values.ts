import { parseJson } from '../../base/index.ts';

/** Databases store seconds since 1970, as the original does; everywhere else time is in milliseconds. */
export function toSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}

/** Another program may have stored text or an invalid number: unreadable values become 0. */
export function toMilliseconds(seconds: unknown): number {
  const milliseconds = typeof seconds === 'string' ? Date.parse(seconds) : Number(seconds) * 1000;
  return Number.isFinite(milliseconds) ? Math.round(milliseconds) : 0;
}

/** An object that was stored as JSON; undefined if another program stored something else. */
export function readObject(text: unknown): object | undefined {
  const value = typeof text === 'string' ? parseJson(text) : undefined;
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** Decodes text that was read as bytes, so that no driver can truncate it. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
