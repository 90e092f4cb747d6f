import { createHash } from 'node:crypto';

const TWO = (value: number) => String(value).padStart(2, '0');

/** `YYYYMMDD_HHMMSS_<6 hex>` in local time, as in existing stores. */
export function newSessionId(now: number): string {
  const at = new Date(now);
  const day = `${at.getFullYear()}${TWO(at.getMonth() + 1)}${TWO(at.getDate())}`;
  const time = `${TWO(at.getHours())}${TWO(at.getMinutes())}${TWO(at.getSeconds())}`;
  return `${day}_${time}_${randomHex(6)}`;
}

/**
 * Ids are names and no secrets: chance is enough that differs in every process. Asking Node's cryptography for it would
 * cost every start 4 ms.
 */
function randomHex(digits: number): string {
  const group = () =>
    Math.floor(Math.random() * 2 ** 24)
      .toString(16)
      .padStart(6, '0');
  return Array.from({ length: Math.ceil(digits / 6) }, group)
    .join('')
    .slice(0, digits);
}

/** An id that is unique, and means nothing: `task_1f0c…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomHex(12)}`;
}

/** The id of a tool call that came without a usable one: the same call in the same place always gets the same. */
export function derivedCallId(parts: { name: string; arguments: string; position: number; taken?: string }): string {
  const text = JSON.stringify([parts.name, parts.arguments, parts.position, parts.taken ?? '']);
  return `call_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}

/** The name of a folder that belongs to one session, whatever its id is made of. */
export function sessionFolderName(sessionId: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(sessionId)) return sessionId;
  return `session-${createHash('sha256').update(sessionId).digest('hex').slice(0, 32)}`;
}
