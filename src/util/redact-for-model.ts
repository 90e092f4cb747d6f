import { AUTHORIZATION, BEARER, KEYS, PRIVATE_KEY, USER_INFO } from './redact.ts';
import { takeStart } from './truncate.ts';

/** The marker that replaces a secret. If the model writes it, the model copied redacted text. */
const SECRET_MARKER = '«secret removed»';

/** Names whose values are secrets, and names that only look like them: a page token is not a secret. */
const SECRET_NAME =
  '(?:api[_-]?key|access[_-]?key|private[_-]?key|secret(?:[_-]?key)?|passw(?:or)?d|passphrase|token|credentials?)';
const NON_SECRET_NAME = /(?:page|next|cursor|continuation|sync|cancel(?:lation)?|csrf)[_-]?token$/i;
/** `NAME=value` as in an .env file. */
const VARIABLE =
  /((?<![A-Za-z0-9_])[A-Z0-9_]{0,60}(?:API_?KEY|ACCESS_KEY|PRIVATE_KEY|SECRET(?:_KEY)?|PASSW(?:OR)?D|PASSPHRASE|TOKEN|CREDENTIALS?)=)(["']?)([^\s"']{6,})/g;
/** `name: "value"`, `"name": "value"`, `name = 'value'`, and `name: value` if the value looks like a secret. */
const FIELD = new RegExp(
  String.raw`((?<![A-Za-z0-9])[A-Za-z0-9_-]{0,40}${SECRET_NAME}(?:\\{0,3}["'])?\s{0,9}[:=]\s{0,9}(?:\\{0,3}["'])?)([^\s"'\\,;]{8,})`,
  'gi',
);
/** Prefixes that only keys have; other key prefixes are also the beginning of ordinary names. */
const UNAMBIGUOUS_KEY =
  /^(?:gh[pousr]_|github_pat_|x(?:app|ox[baprs])-|AIza|AKIA|gAAAA|(?:sk|rk)_(?:live|test)_|sk-(?:ant|proj|or)-|SG\.|do[op]_v1_|gl[a-z]+-|GR1348941|gsk_|tvly-|eyJ|\d)/;
/** Placeholders for a secret that has yet to be filled in. */
const PLACEHOLDER = /^[$<{%*([«]|\*{3}|x{4,}|\.{3}|your|example|changeme|placeholder|redacted|dummy|insert|todo/i;
/** `settings.apiKey`, `process.env.TOKEN`, `getToken(…)`: code that reads a secret. */
const CODE = /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.)[A-Za-z_$][\w$]*)+[;,)]*$|[(){}[\]`<>]/;

/**
 * Replaces secrets in text for models with a visible marker. Unlike redaction for logs, it must not change code and
 * prose, because the model works on them: `password: string` is not a secret, and neither is a hash or an id.
 */
export function redactForModel(text: string): string {
  return text
    .replace(PRIVATE_KEY, SECRET_MARKER)
    .replace(AUTHORIZATION, redactUnlessPlaceholder)
    .replace(BEARER, redactUnlessPlaceholder)
    .replace(USER_INFO, (match: string, before: string, at: string) => {
      const password = match.slice(before.length, -at.length);
      return isPlaceholder(password) ? match : before + SECRET_MARKER + at;
    })
    .replace(VARIABLE, (match: string, before: string, quote: string, value: string) =>
      isPlaceholder(value) || /^\d+$/.test(value) ? match : before + quote + SECRET_MARKER,
    )
    .replace(FIELD, (match: string, before: string, value: string) =>
      isSecretField(before, value) ? before + SECRET_MARKER : match,
    )
    .replace(KEYS, (key: string) => (UNAMBIGUOUS_KEY.test(key) || looksRandom(key) ? SECRET_MARKER : key));
}

/** The first characters of a text after redaction. */
export function takeRedacted(text: string, limit: number, redact: (text: string) => string = redactForModel): string {
  // Truncated before redaction, because scanning a huge text takes long, and again after it, because a marker may be
  // longer than the secret.
  return takeStart(redact(takeStart(text.trim(), 4 * limit)), limit);
}

/** Whether a text contains the marker of a redacted secret. Writing it to a file would overwrite the secret. */
export function hasSecretMarker(text: string): boolean {
  return text.includes(SECRET_MARKER);
}

function redactUnlessPlaceholder(match: string, before: string): string {
  return isPlaceholder(match.slice(before.length)) ? match : before + SECRET_MARKER;
}

function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || CODE.test(value);
}

function isSecretField(before: string, value: string): boolean {
  const name = /[A-Za-z0-9_-]+/.exec(before)?.[0] ?? '';
  return !NON_SECRET_NAME.test(name) && !isPlaceholder(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
}

/** Keys are random: they mix digits and letters, or are longer than any word without a separator. */
function looksRandom(key: string): boolean {
  const body = key.replace(/^[A-Za-z0-9]+[-_.]/, '');
  return (/\d/.test(body) && /[A-Za-z]/.test(body)) || /[A-Za-z0-9]{24,}/.test(body);
}
