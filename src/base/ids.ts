import { createHash } from 'node:crypto';

const padTwo = (value: number) => String(value).padStart(2, '0');

/** `YYYYMMDD_HHMMSS_<6 hex digits>` in local time, the format of existing stores. */
export function newSessionId(now: number): string {
  const at = new Date(now);
  const day = `${at.getFullYear()}${padTwo(at.getMonth() + 1)}${padTwo(at.getDate())}`;
  const time = `${padTwo(at.getHours())}${padTwo(at.getMinutes())}${padTwo(at.getSeconds())}`;
  return `${day}_${time}_${randomHex(6)}`;
}

/** Ids are not secret, so Math.random is good enough. Loading node:crypto would add 4 ms to every start. */
function randomHex(digits: number): string {
  const group = () =>
    Math.floor(Math.random() * 2 ** 24)
      .toString(16)
      .padStart(6, '0');
  return Array.from({ length: Math.ceil(digits / 6) }, group)
    .join('')
    .slice(0, digits);
}

/** A unique id without further meaning: `task_1f0c…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomHex(12)}`;
}

/** The SHA-256 hash of some content. */
export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Removes the random part of spill file names, so that results that differ only in it are equal. */
export function maskSpillFiles(text: string): string {
  return text.replace(/\b(outside|result)_[0-9a-f]{12}\b/g, '$1');
}

/**
 * The id for a tool call that arrived without a usable one; the same call at the same position always gets the same
 * id.
 */
export function derivedCallId(parts: { name: string; arguments: string; position: number; taken?: string }): string {
  const text = JSON.stringify([parts.name, parts.arguments, parts.position, parts.taken ?? '']);
  return `call_${digestOf(text).slice(0, 24)}`;
}

/** A safe folder name for the files of one session, whatever characters its id contains. */
export function sessionFolderName(sessionId: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(sessionId)) return sessionId;
  return `session-${digestOf(sessionId).slice(0, 32)}`;
}
