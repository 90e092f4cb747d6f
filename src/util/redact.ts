/** What the keys of vendors look like; facts, in no order. */
const KEY_SHAPES = [
  'sk-[A-Za-z0-9_-]{10,}',
  '(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{10,}',
  'github_pat_[A-Za-z0-9_]{10,}',
  'xapp-\\d+-[A-Za-z0-9-]{10,}',
  'xox[baprs]-[A-Za-z0-9-]{10,}',
  'AIza[A-Za-z0-9_-]{30,}',
  'pplx-[A-Za-z0-9]{10,}',
  'fal_[A-Za-z0-9_-]{10,}',
  'fc-[A-Za-z0-9]{10,}',
  'bb_live_[A-Za-z0-9_-]{10,}',
  'gAAAA[A-Za-z0-9_=-]{20,}',
  'AKIA[A-Z0-9]{16}',
  '(?:sk_live|sk_test|rk_live)_[A-Za-z0-9]{10,}',
  'SG\\.[A-Za-z0-9_-]{10,}',
  'hf_[A-Za-z0-9]{10,}',
  'r8_[A-Za-z0-9]{10,}',
  'npm_[A-Za-z0-9]{10,}',
  'pypi-[A-Za-z0-9_-]{10,}',
  '(?:dop|doo)_v1_[A-Za-z0-9]{10,}',
  'tvly-[A-Za-z0-9]{10,}',
  'exa_[A-Za-z0-9]{10,}',
  'gsk_[A-Za-z0-9]{10,}',
  'xai-[A-Za-z0-9]{30,}',
  'ntn_[A-Za-z0-9]{10,}',
  'fw[-_][A-Za-z0-9]{30,}',
  'gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct|wt)-[A-Za-z0-9_.-]{10,}',
  'GR1348941[A-Za-z0-9_-]{10,}',
  'pk-lf-[A-Za-z0-9-]{8,}',
  'am_[A-Za-z0-9_-]{10,}',
  'sk_[A-Za-z0-9_]{10,}',
  'syt_[A-Za-z0-9]{10,}',
  'retaindb_[A-Za-z0-9]{10,}',
  'hsk-[A-Za-z0-9]{10,}',
  'mem0_[A-Za-z0-9]{10,}',
  'brv_[A-Za-z0-9]{10,}',
  'fpk_[A-Za-z0-9]{30,}',
  // Signed tokens, and those of bots.
  'eyJ[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}',
  '\\d{8,10}:AA[A-Za-z0-9_-]{33}',
];

const KEY_AT_START = new RegExp(`^(?:${KEY_SHAPES.join('|')})`);
export const KEYS = new RegExp(`(?<![A-Za-z0-9_-])(?:${KEY_SHAPES.join('|')})`, 'g');
// Each pattern starts rarely and looks only a bounded way ahead, or to the end of its word: redaction stays linear.
export const AUTHORIZATION =
  /(\bauthorization\\{0,3}["']?\s{0,9}[:=]\s{0,9}\\{0,3}["']?(?:basic|bearer|digest|token|apikey)\s{1,9})[^\s"',}]+/gi;
/** "Bearer authentication" is no secret: a real one has figures, or is longer than any word. */
export const BEARER = /(\bBearer\s{1,9})(?=[^\s"',}]{0,400}\d|[^\s"',}]{16})[^\s"',}]+/gi;
/** Up to the last `@` of the host's part, because a password may have one. A port is no password. */
export const USER_INFO = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@]{0,400}:)(?!\d{1,5}(?:[/?#]|\s|$))[^\s/]+(@)/gi;
const SECRET_WORD = 'api[_-]?key|secret|passw(?:or)?d|passphrase|(?:access|auth|refresh|session|[_-])[_-]?token';
const GAP = String.raw`\s{0,9}[:=]\s{0,9}`;
/** Quotes may be escaped: JSON inside of JSON. */
const QUOTE = String.raw`\\{0,3}["']`;
const ASSIGNMENT = new RegExp(
  String.raw`(\b[A-Za-z0-9_-]{0,40}(?:(?:${SECRET_WORD})(?:${QUOTE})?${GAP}|token(?:=|${QUOTE}${GAP}(?=${QUOTE})))\\{0,3})` +
    String.raw`("[^"\n]+|'[^'\n]+|[^\s"',}&]+)`,
  'gi',
);
const SECRET_NAME =
  /(?:(?:api|access|private|signing)[_-]?key|secret|passw(?:or)?d|passphrase|token|authorization|cookie|credentials?)$/i;
export const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/** Whether a value begins like the key of a vendor, whatever name it goes by. */
export function looksLikeKey(value: string): boolean {
  return KEY_AT_START.test(value);
}

/** Whether a field of this name holds a secret, whatever its value looks like. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Replaces what looks like a secret. For what is shown, logged or sent; never for a command that runs or a file. */
export function redactSecrets(text: string): string {
  return text
    .replace(PRIVATE_KEY, '«private key removed»')
    .replace(AUTHORIZATION, '$1***')
    .replace(BEARER, '$1***')
    .replace(USER_INFO, '$1***$2')
    .replace(ASSIGNMENT, maskValue)
    .replace(KEYS, (key) => maskSecret(key));
}

/** A long key keeps enough of its head and tail to be told from others. */
export function maskSecret(secret: string): string {
  return secret.length >= 18 ? `${secret.slice(0, 6)}***${secret.slice(-4)}` : '***';
}

/** The quote before a value and the escape of the one behind it stay, so that the text around it keeps its form. */
function maskValue(_match: string, before: string, value: string): string {
  const quote = /^["']/.exec(value)?.[0] ?? '';
  const escape = /\\{0,3}$/.exec(value)?.[0] ?? '';
  return `${before}${quote}***${escape}`;
}
