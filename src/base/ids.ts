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

const OUTSIDE = 'outside';
const RESULT = 'result';
const RESULT_FILE_NAME = new RegExp(`\\b(${OUTSIDE}|${RESULT})_[0-9a-f]{12}\\b`, 'g');

/** The name, without extension, of a file with the full text of a result. `outside`: the text is untrusted. */
export function newResultFileName(outside: boolean): string {
  return newId(outside ? OUTSIDE : RESULT);
}

export function isOutsideResultFile(name: string): boolean {
  return name.startsWith(OUTSIDE);
}

/** Removes the random part of result file names, so that results that differ only in it are equal. */
export function maskResultFileNames(text: string): string {
  return text.replace(RESULT_FILE_NAME, '$1');
}

/**
 * The id for a tool call that arrived without a usable one; the same call at the same position always gets the same
 * id.
 */
export function derivedCallId(parts: { name: string; arguments: string; position: number; taken?: string }): string {
  const text = JSON.stringify([parts.name, parts.arguments, parts.position, parts.taken ?? '']);
  return `call_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}

/** A safe folder name for the files of one session, whatever characters its id contains. */
export function sessionFolderName(sessionId: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(sessionId)) return sessionId;
  return `session-${createHash('sha256').update(sessionId).digest('hex').slice(0, 32)}`;
}
