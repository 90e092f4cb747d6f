import { createOnce } from '../create-once.ts';
import { encodingsOf } from './secret-encodings.ts';
import { createTextSearch, type SoughtText, type TextRange, type TextSearch } from './text-search.ts';

/** The secrets whose values this process knows, such as those in `.env`, `auth.json` and the environment. */
export interface KnownSecrets {
  /** Remembers values. Those that are too short or too common to be recognised are ignored. */
  add(values: Iterable<string | undefined>): void;
  /** Where a text contains one of the values, in any of its encodings. */
  find(text: string): TextRange[];
  /** Whether the end of a text may be the beginning of a value with spaces in it. */
  isOpenEnd(text: string): boolean;
}

/** Shorter values occur in ordinary text. */
const MIN_LENGTH = 8;
/** The minimum length of a line of a secret with several lines, and of an element of a list of keys. */
const MIN_PART_LENGTH = 16;
/** More values than any user has. The oldest are forgotten first, such as tokens that were refreshed. */
const MAX_VALUES = 2000;

/** Values that people set for a secret that is not secret, and words that occur in ordinary text. */
const TRIVIAL =
  /^(?:change_?me\w*|local_?host|(?:my|the|your)?[_-]?(?:secret|password|passw[or]*d|passphrase|api[_-]?key|token|credentials?)s?[_-]?(?:here|key|value)?\d{0,4}|(?:your|my|example|dummy|fake|placeholder|replace|insert|todo|redacted|none)\b.*|(?:test|testing|default|disabled?|enabled?|required|optional|undefined|username|postgres|postgresql|root|admin|administrator|user|developer?|development|production|staging|sandbox|internal|external|anonymous|keychain|keyring|libsecret|secretservice|osxkeychain|manager|managed|automatic|interactive|not[_-]?(?:set|needed|required|used)|no[_-]?key(?:[_-](?:needed|required))?|sk-(?:x+|no-key-required|placeholder|\.+))\d{0,3}|[x*.•-]+|(.)\1*|true|false|1234567890?|12345678|abcdefgh\w{0,18}|qwertyui?o?p?)$/i;
const PATH = /^(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.@ -]+(?:[/\\][\w.@ -]+)*[/\\]?$/;
const PLAIN_URL = /^[a-z][a-z0-9+.-]*:\/\/[^\s@?#]*$/i;
const RANDOM = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])/;
/** The minimum length of a line of a long base64 or hexadecimal text, as `base64` and `xxd -p` break it. */
const MIN_LINE_LENGTH = 40;
/** Which ASCII characters occur in base64 or hexadecimal text. */
const encodedCharacters = createOnce(
  (): Readonly<Uint8Array> =>
    Uint8Array.from({ length: 128 }, (_, code) => (/[A-Za-z0-9+/_=-]/.test(String.fromCharCode(code)) ? 1 : 0)),
);

export function createKnownSecrets(): KnownSecrets {
  const values = new Set<string>();
  let search: TextSearch | undefined;
  let spaced: readonly string[] = [];

  // At the first use, because many commands show nothing that could contain a secret.
  function build(): TextSearch {
    const secrets = new Set([...values].flatMap(secretsIn));
    const sought = [...secrets].flatMap((value): SoughtText[] =>
      encodingsOf(value).map((text) => (text === value && isWord(value) ? { text, isOwnWord: true } : { text })),
    );
    spaced = sought.map(({ text }) => text).filter((text) => /\s/.test(text));
    return createTextSearch(sought);
  }

  return {
    add(given) {
      for (const value of given) {
        if (value === undefined || value.length < MIN_LENGTH || values.has(value)) continue;
        values.add(value);
        search = undefined;
      }
      for (const oldest of values) {
        if (values.size <= MAX_VALUES) break;
        values.delete(oldest);
      }
    },
    find(text) {
      if (values.size === 0) return [];
      search ??= build();
      return [...search.findAll(text), ...findWrapped(text, search)].sort((a, b) => a.from - b.from);
    },
    isOpenEnd(text) {
      if (values.size === 0) return false;
      search ??= build();
      return (
        spaced.some((secret) => endsWithin(text, secret)) || (text.endsWith('\n') && endsEncoded(text, text.length - 1))
      );
    },
  };
}

/** The secrets in a value: itself, the password of a URL, the token of `Bearer …`, and the lines or parts of a list. */
function secretsIn(value: string): string[] {
  const trimmed = value.trim();
  if (isTrivial(trimmed)) return [];
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*:([^\s/]+)@/i.exec(trimmed)?.[1];
  const word = /^(?:basic|bearer|token|apikey)\s+(\S+)$/i.exec(trimmed)?.[1];
  const parts = /[\n,;]/.test(trimmed) ? trimmed.split(/[\n,;]/).map((part) => part.trim()) : [];
  const long = parts.filter(
    (part) => part.length >= MIN_PART_LENGTH && /\d/.test(part) && !/\s/.test(part) && !part.startsWith('-----'),
  );
  return [trimmed, password, password && decodeIfPossible(password), word, ...long].filter(
    (secret): secret is string => secret !== undefined && !isTrivial(secret),
  );
}

function isTrivial(value: string): boolean {
  if (value.length < MIN_LENGTH || TRIVIAL.test(value) || /^\d{1,10}$/.test(value)) return true;
  if (value.startsWith('${') || PLAIN_URL.test(value)) return true;
  return PATH.test(value) && !value.split(/[/\\]/).some((part) => part.length >= 12 && RANDOM.test(part));
}

/** A password without digits and symbols may be part of ordinary words. */
function isWord(value: string): boolean {
  return /^[A-Za-z]{1,20}$/.test(value);
}

function decodeIfPossible(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Finds values in encoded text that is broken into lines. */
function findWrapped(text: string, search: TextSearch): TextRange[] {
  const found: TextRange[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (!endsEncoded(text, at)) continue;
    const lines = readWrapped(text, at);
    const joined = lines.map(({ from, to }) => text.slice(from, to)).join('');
    for (const { from, to } of search.findAll(joined)) {
      found.push({ from: placeOf(lines, from), to: placeOf(lines, to - 1) + 1 });
    }
    at = Math.max(at, lines.at(-1)?.to ?? 0);
  }
  return found;
}

/** The encoded lines before and after a line break. */
function readWrapped(text: string, firstBreak: number): TextRange[] {
  const end = text[firstBreak - 1] === '\r' ? firstBreak - 1 : firstBreak;
  let from = end;
  while (from > 0 && isEncoded(text.charCodeAt(from - 1))) from -= 1;
  const lines = [{ from, to: end }];
  for (let at = firstBreak; ; ) {
    while (/\s/.test(text[at] ?? '')) at += 1;
    const start = at;
    while (isEncoded(text.charCodeAt(at))) at += 1;
    lines.push({ from: start, to: at });
    const next = text[at] === '\r' ? at + 1 : at;
    if (text[next] !== '\n' || at - start < MIN_LINE_LENGTH) return lines;
  }
}

/** The offset in the text of a character of the joined lines. */
function placeOf(lines: readonly TextRange[], offset: number): number {
  let left = offset;
  for (const { from, to } of lines) {
    if (left < to - from) return from + left;
    left -= to - from;
  }
  return lines.at(-1)?.to ?? 0;
}

/** Whether a long run of encoded characters precedes a line break. */
function endsEncoded(text: string, lineBreak: number): boolean {
  const end = text[lineBreak - 1] === '\r' ? lineBreak - 1 : lineBreak;
  if (end < MIN_LINE_LENGTH) return false;
  for (let at = end - 1; at >= end - MIN_LINE_LENGTH; at -= 1) if (!isEncoded(text.charCodeAt(at))) return false;
  return true;
}

/** Whether a character occurs in base64 or hexadecimal text. */
function isEncoded(code: number): boolean {
  return code < 128 && encodedCharacters()[code] === 1;
}

/** Whether the text ends with a beginning of the secret. */
function endsWithin(text: string, secret: string): boolean {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return true;
  }
  return false;
}

/** Replaces ranges of a text, which may overlap. */
export function replaceRanges(text: string, ranges: readonly TextRange[], replacement: string): string {
  if (ranges.length === 0) return text;
  let result = '';
  let done = 0;
  for (const { from, to } of ranges) {
    if (to <= done) continue;
    if (from >= done) result += text.slice(done, from) + replacement;
    done = to;
  }
  return result + text.slice(done);
}
