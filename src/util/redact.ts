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
];

const KEYS = new RegExp(`(?<![A-Za-z0-9_-])(?:${KEY_SHAPES.join('|')})`, 'g');
const BEARER = /(\bBearer\s+)[^\s"',}]+/gi;
const USER_INFO = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]+:)[^\s@/]+(@)/gi;
const ASSIGNMENT =
  /(\b[A-Za-z0-9_-]{0,40}(?:api[_-]?key|secret|password|passwd|access[_-]?token|auth[_-]?token)["']?\s*[:=]\s*["']?)[^\s"',}&]+/gi;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/** Replaces what looks like a secret. For what is shown, logged or sent; never for a command that runs or a file. */
export function redactSecrets(text: string): string {
  return text
    .replace(PRIVATE_KEY, '«private key removed»')
    .replace(BEARER, '$1***')
    .replace(USER_INFO, '$1***$2')
    .replace(ASSIGNMENT, '$1***')
    .replace(KEYS, mask);
}

/** A long key keeps enough of its head and tail to be told from others. */
function mask(secret: string): string {
  return secret.length >= 18 ? `${secret.slice(0, 6)}***${secret.slice(-4)}` : '***';
}
