import { isPlaceholder, isReference, looksRandom } from './secret-values.ts';

/** A secret that the text around it identifies, for example `--password …`. */
export type SecretRule = {
  name: string;
  /** Text that every match contains, in this spelling. The pattern is skipped without it. */
  needs?: string;
  /** Three groups: the text before the secret, the secret, and the text after it. Global. */
  pattern: RegExp;
  isSecret?(value: string, before: string): boolean;
};

// Each pattern has a rare beginning and looks ahead only a bounded distance or to the end of the word, so that
// redaction takes linear time.

const OPTION_NAMES =
  'password|passwd|passphrase|pass|token|secret|api-?key|secret-?key|access-?key|auth-?key|private-?key|credential';
const MYSQL = 'mysql(?:dump|admin|import|pump|sh|check|show)?|mariadb(?:-dump|-admin|-import)?|mycli';
const QUERY_NAMES =
  '[a-z_-]{0,30}(?:token|secret|passw(?:or)?d|api[_-]?key|access[_-]?key|signature|jwt)|pwd|sig|key|auth|code|session(?:_?id)?|sid|x-amz-credential';

export const SECRET_RULES: readonly SecretRule[] = [
  {
    name: 'Authorization header',
    pattern:
      /(\bauthorization\\{0,3}["']?\s{0,9}[:=]\s{0,9}\\{0,3}["']?(?:basic|bearer|digest|token|apikey|key|negotiate|ssws|aws)\s{1,9})([^\s"',}\\]+)()/gi,
  },
  {
    name: 'Authorization header without a scheme',
    pattern: /(\bauthorization\\{0,3}["']?\s{0,9}:\s{0,9}\\{0,3}["']?)([\w.~+/-]{16,}={0,2})()/gi,
    isSecret: looksRandom,
  },
  {
    // "Bearer authentication" is not a secret: a real one contains digits or is longer than any word.
    name: 'Bearer token',
    pattern: /(\bBearer\s{1,9})((?=[^\s"',}]{0,400}\d|[^\s"',}]{16})[^\s"',}\\]+)()/gi,
  },
  { name: 'AWS request signature', needs: 'Signature=', pattern: /(\bSignature=)([0-9a-f]{64})()/g },
  {
    // Up to the last `@` of the authority, because a password may contain one. A port is not a password.
    name: 'password in a URL',
    needs: '://',
    pattern: /(:\/\/[^\s:/@"'`]{0,400}:)(?!\d{1,5}(?:[^\w@]|$))([^\s/"'`]+)(@)/g,
  },
  { name: 'token in a URL', needs: '://', pattern: /(:\/\/)([\w-]{20,400})(@)/g, isSecret: looksRandom },
  { name: 'Oracle URL', needs: 'jdbc:oracle', pattern: /(jdbc:oracle:\w{1,9}:[^/\s@]{1,80}\/)([^@\s]+)(@)/g },
  {
    name: 'URL parameter',
    needs: '=',
    pattern: new RegExp(String.raw`([?&](?:amp;)?(?:${QUERY_NAMES})=)([^&\s"'<>#\\)\]]+)()`, 'gi'),
    isSecret: isParameterSecret,
  },
  {
    name: 'connection string',
    needs: ';',
    pattern: /(;\s{0,3}(?:pwd|password|accountkey|sharedaccesskey|sharedsecret)\s{0,3}=\s{0,3})([^;"'\s]{3,})()/gi,
  },
  {
    name: 'netrc line',
    needs: 'password',
    pattern: /(\blogin\s{1,9}\S{1,200}\s{1,9}(?:account\s{1,9}\S{1,200}\s{1,9})?password\s{1,9})(\S+)()/g,
    isSecret: (value) => value.length >= 3,
  },
  {
    name: 'pgpass line',
    needs: ':',
    pattern: /(^[\w.*-]{1,100}:(?:54\d\d|6432|\*):[\w*-]{1,60}:[\w.*-]{1,60}:)(\S{3,})()$/gm,
  },
  {
    name: 'option with its value after =',
    needs: '--',
    pattern: new RegExp(String.raw`(--(?:[a-z0-9]{1,20}-){0,3}(?:${OPTION_NAMES})=\\{0,3}["']?)([^\s"'\\]{4,})()`, 'g'),
    isSecret: isOptionSecret,
  },
  {
    name: 'option with its value after a space',
    needs: '--',
    pattern: new RegExp(
      String.raw`(--(?:[a-z0-9]{1,20}-){0,3}(?:${OPTION_NAMES})(?: {1,2}\\{0,3}["']?|["'], {0,3}["']))([^\s"'\\-][^\s"'\\]{3,})(?=(["']|\\|\s|$))`,
      'g',
    ),
    isSecret: (value) =>
      isOptionSecret(value) && (!/^[a-z]+$/.test(value) || value.length >= 8) && !/^[A-Z_]+$/.test(value),
  },
  {
    name: 'password of mysql',
    pattern: new RegExp(String.raw`(\b(?:${MYSQL})\b[^\n|;&]{0,120}? -p["']?)([^\s"'-][^\s"']{2,})()`, 'g'),
  },
  {
    name: 'password of a program',
    pattern:
      /(\b(?:(?:sshpass|mongo(?:sh|dump|restore|export|import)?|docker login|podman login)\b[^\n|;&]{0,120}? -p|(?:sqlcmd|zip|unzip)\b[^\n|;&]{0,120}? -P|redis-cli\b[^\n|;&]{0,120}? -a|ldap\w{3,8}\b[^\n|;&]{0,120}? -w) {0,2}["']?)([^\s"'-][^\s"']{3,})()/g,
    isSecret: (value) => !isPlaceholder(value) && !isReference(value) && !/^(?:\d{1,5}|[a-z]+\.[a-z.]+)$/.test(value),
  },
  {
    name: 'user and password of curl',
    pattern:
      /(\b(?:curl|wget|https?|xh)\b[^\n|;&]{0,200}? (?:-u|-U|--user|--proxy-user|-a|--auth)[ =]?["']?[^\s:"'/]{1,80}:)([^\s"'/][^\s"']{2,})()/g,
    isSecret: (value) => !isPlaceholder(value) && !/^\d{1,5}$/.test(value),
  },
  { name: 'pass phrase of openssl', needs: 'pass:', pattern: /(\s["']?pass:)([^\s"']{4,})()/g },
  {
    name: 'user and password of smbclient',
    needs: '%',
    pattern: /(\bsmb\w{0,10}\b[^\n|;&]{0,120}? -U ?["']?[^\s%"']{1,60}%)([^\s"']{3,})()/g,
  },
  { name: 'npm registry', needs: '_auth', pattern: /(:_auth(?:Token)?\s?=\s?["']?)([^\s"']{8,})()/g },
  {
    name: 'Docker configuration',
    needs: 'auth"',
    pattern: /("(?:identity)?auth"\s{0,3}:\s{0,3}")([A-Za-z0-9+/]{12,}={0,2})(")/g,
  },
  {
    name: 'PuTTY key',
    needs: 'Private-Lines',
    pattern: /(Private-Lines: \d{1,4}\r?\n)((?:[A-Za-z0-9+/=]{1,80}\r?\n)+)()/g,
  },
  { name: 'WireGuard', needs: 'reshared', pattern: /(\bPresharedKey\s{0,3}=\s{0,3})([A-Za-z0-9+/]{43}=)()/gi },
];

const AWS_KEY_ID = /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g;
const AWS_SECRET =
  /(?<![A-Za-z0-9/+=])(?=[A-Za-z0-9/+]{0,39}[A-Z])(?=[A-Za-z0-9/+]{0,39}[a-z])(?=[A-Za-z0-9/+]{0,39}\d)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;
/** How far from its key id a secret key of AWS can be. */
const AWS_DISTANCE = 200;

/** A secret key of AWS has no format of its own, so it is recognised by the key id next to it. */
export function redactAwsSecrets(text: string, mark: string): string {
  if (!text.includes('AKIA') && !text.includes('ASIA')) return text;
  const ids = [...text.matchAll(AWS_KEY_ID)].map(({ index }) => index);
  if (ids.length === 0) return text;
  return text.replace(AWS_SECRET, (secret: string, at: number) =>
    ids.some((id) => Math.abs(id - at) <= AWS_DISTANCE) ? mark : secret,
  );
}

const COOKIES = /(\bcookie\\{0,3}["']?\s{0,3}:\s{0,3}\\{0,3}["']?)([^\n"\\]{3,4096})/gi;
const COOKIE_VALUE = /((?:^|;)\s{0,3}([^\s;=,"']{1,80})=)([^;\s"',]{4,})/g;
const ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|priority|version)$/i;

/** Replaces the values of `Cookie` and `Set-Cookie` headers and keeps the names. */
export function redactCookies(text: string, mark: string): string {
  return text.replace(COOKIES, (_, before: string, cookies: string) => {
    const hidden = cookies.replace(COOKIE_VALUE, (match: string, start: string, name: string, value: string) =>
      ATTRIBUTE.test(name) || isPlaceholder(value) ? match : start + mark,
    );
    return before + hidden;
  });
}

function isParameterSecret(value: string, before: string): boolean {
  const plain = /^[?&](?:amp;)?(?:key|auth|code|session(?:_?id)?|sid)=$/i.test(before);
  const harmless = /(?:page|next|cursor|continuation|sync|csrf)[_-]?token=$/i.test(before);
  if (harmless || isPlaceholder(value)) return false;
  return plain ? value.length >= 16 && looksRandom(value) : value.length >= 4 && !/^\d{1,4}$/.test(value);
}

function isOptionSecret(value: string): boolean {
  return !isPlaceholder(value) && !isReference(value) && !/^\d{1,6}$/.test(value) && !/^[A-Z][A-Z_]*$/.test(value);
}
