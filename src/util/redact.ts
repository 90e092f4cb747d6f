/** Formats of vendor keys, in no particular order. */
const KEY_PATTERNS = [
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
  // JSON Web Tokens and Telegram bot tokens.
  'eyJ[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}',
  '\\d{8,10}:AA[A-Za-z0-9_-]{33}',
];

const KEY_AT_START = new RegExp(`^(?:${KEY_PATTERNS.join('|')})`);
export const KEYS = new RegExp(`(?<![A-Za-z0-9_-])(?:${KEY_PATTERNS.join('|')})`, 'g');
// Each pattern has a rare beginning and looks ahead only a bounded distance or to the end of the word, so that
// redaction takes linear time.
export const AUTHORIZATION =
  /(\bauthorization\\{0,3}["']?\s{0,9}[:=]\s{0,9}\\{0,3}["']?(?:basic|bearer|digest|token|apikey)\s{1,9})[^\s"',}]+/gi;
/** "Bearer authentication" is not a secret: a real one contains digits or is longer than any word. */
export const BEARER = /(\bBearer\s{1,9})(?=[^\s"',}]{0,400}\d|[^\s"',}]{16})[^\s"',}]+/gi;
/** Matches up to the last `@` of the authority, because a password may contain one. A port is not a password. */
export const USER_INFO = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@]{0,400}:)(?!\d{1,5}(?:[/?#]|\s|$))[^\s/]+(@)/gi;
const SECRET_WORD = 'api[_-]?key|secret|passw(?:or)?d|passphrase|(?:access|auth|refresh|session|[_-])[_-]?token';
const GAP = String.raw`\s{0,9}[:=]\s{0,9}`;
/** Quotes may be escaped, in JSON inside JSON. */
const QUOTE = String.raw`\\{0,3}["']`;
const ASSIGNMENT = new RegExp(
  String.raw`(\b[A-Za-z0-9_-]{0,40}(?:(?:${SECRET_WORD})(?:${QUOTE})?${GAP}|token(?:=|${QUOTE}${GAP}(?=${QUOTE})))\\{0,3})` +
    String.raw`("[^"\n]+|'[^'\n]+|[^\s"',}&]+)`,
  'gi',
);
const SECRET_NAME =
  /(?:(?:api|access|private|signing)[_-]?key|secret|passw(?:or)?d|passphrase|token|authorization|cookie|credentials?)$/i;
export const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/** Whether a value starts like a vendor key, whatever its name. */
export function looksLikeKey(value: string): boolean {
  return KEY_AT_START.test(value);
}

/** Whether a field with this name contains a secret, whatever its value looks like. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * Replaces everything that looks like a secret. For text that is displayed, logged or sent; never for commands that
 * are run or files that are written.
 */
export function redactSecrets(text: string): string {
  return text
    .replace(PRIVATE_KEY, '«private key removed»')
    .replace(AUTHORIZATION, '$1***')
    .replace(BEARER, '$1***')
    .replace(USER_INFO, '$1***$2')
    .replace(ASSIGNMENT, maskValue)
    .replace(KEYS, (key) => maskSecret(key));
}

/** Long keys keep their first and last characters, so that they can be told apart. */
export function maskSecret(secret: string): string {
  return secret.length >= 18 ? `${secret.slice(0, 6)}***${secret.slice(-4)}` : '***';
}

/** Keeps the opening quote and the escape before the closing one, so that the surrounding text stays valid. */
function maskValue(_match: string, before: string, value: string): string {
  const quote = /^["']/.exec(value)?.[0] ?? '';
  const escape = /\\{0,3}$/.exec(value)?.[0] ?? '';
  return `${before}${quote}***${escape}`;
}
