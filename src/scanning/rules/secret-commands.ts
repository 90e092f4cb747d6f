import type { ScanRule } from '../scan-rule.ts';

/** A variable whose name says that it holds a secret, in the spelling of a shell or a program; the name is captured. */
const VARIABLE = String.raw`(?:\$\{?(?:env:)?|%|process\.env\.|process\.env\[['"]|os\.environ(?:\.get)?[[(]['"]|os\.getenv\(['"]|getenv\(['"]|env\[['"]|env\.|import\.meta\.env\.|deno\.env\.get\(['"]|secrets\.)([a-z0-9_]*?(?:key|keys|token|secret|password|passwd|passphrase|pwd|credential|credentials|cookie|auth|pat|dsn|database_url|conn_str|connection_string|jwt|session_id|sessionid)s?\d*)\b`;
/** What a program prints about its environment or its logins. */
const SECRET_OUTPUT = String.raw`\$\(\s*(?:gh auth token|gcloud auth print-\S+|aws configure get \S+|security find-\S+|pass show|vault (?:read|kv get)|op read|kubectl get secret|printenv|env\b|set\b|whoami;? ?env)`;
const SENDERS = String.raw`\b(?:curl|wget|http|https|httpie|xh|nc|ncat|netcat|socat|telnet|iwr|irm|invoke-webrequest|invoke-restmethod|fetch|axios(?:\.\w+)?|got|requests\.\w+|urllib\.request\.urlopen|urlopen|httpx\.\w+|ping|dig|nslookup|host|open|xdg-open|lynx|aria2c)\b`;
const URL_PART = String.raw`(?:https?|wss?|ftp):\/\/([^\s\/"'${'`'}<>?#]+)`;
const SECRET_PATH = String.raw`(?:~|\$home|\$\{home\}|/root|/home/[\w.-]+|\$env:userprofile|%userprofile%)?[\\/]?(?:\.env\b(?!\.(?:example|sample|template|dist))(?:\.\w+)?|\.ssh\b(?![\\/]?\S*\.pub)|id_(?:rsa|dsa|ed25519|ecdsa)\b(?!\.pub)|\.aws\b|\.gnupg\b|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials\b|\.kube[\\/]config|kubeconfig|\.docker[\\/]config|\.config[\\/]gh\b|\.config[\\/]gcloud|\.hermes[\\/](?:\.env|auth\.json|state\.db)|etc[\\/](?:shadow|passwd)|login data\b|cookies\.sqlite|wallet\.dat|\.bash_history|\.zsh_history|secrets?\.(?:ya?ml|json|toml|txt)|credentials(?:\.\w+)?\b|private[_-]?key\S*|\S*\.pem\b|\S*\.p12\b|\S*\.key\b)`;

/** Words of variable names that say nothing about the service. */
const GENERIC = new Set(
  `api key keys token tokens secret secrets access auth password passwd passphrase pwd pass credential credentials cookie pat id bot app client private public my your our service user username account url dsn database db conn str connection string jwt session sessionid webhook bearer refresh admin root prod production staging test dev default main x env value hash salt signing encryption master project org team personal read write deploy ci`.split(
    ' ',
  ),
);
/** Services whose variables and hosts have different names. */
const ALIASES: Record<string, string> = {
  gh: 'github',
  hf: 'huggingface',
  aws: 'amazon',
  gcp: 'google',
  gemini: 'google',
  npm: 'npmjs',
  cf: 'cloudflare',
  do: 'digitalocean',
  tg: 'telegram',
  claude: 'anthropic',
  gpt: 'openai',
  pypi: 'pypi',
  twine: 'pypi',
  jira: 'atlassian',
  confluence: 'atlassian',
  cr: 'ghcr',
  docker: 'docker',
  gl: 'gitlab',
  fb: 'facebook',
  wa: 'whatsapp',
};
/** Hosts that nobody names in a legitimate example. */
const SUSPICIOUS_HOST =
  /evil|attack|malicious|hack|steal|exfil|leak|c2\b|phish|collect|drop|webhook\.site|requestbin|requestcatcher|pipedream|burpcollaborator|interact\.sh|oast\.|ngrok|canarytoken|pastebin|paste\.|transfer\.sh|file\.io|beeceptor|dnslog|serveo|trycloudflare|localtunnel|^(?!127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}/;
const LOCAL_HOST =
  /^(?:localhost|127\.|10\.|192\.168\.|0\.0\.0\.0|\[::1\]|host\.docker|\$|\{|%)|\.(?:local|internal|lan)(?::|$)/;
const LOOKS_LIKE_API =
  /(?:^|[.-])(?:api|apis|auth|oauth|login|accounts?|sso|id|gateway|graphql|registry|hooks?)\d*[.-]|^(?:your|my)[-.]|example\.(?:com|org|net)/;
const API_PATH = /\/(?:api|v\d+(?:\.\d+)?|oauth2?|auth|token|graphql|rest)\b/;

/** Whether a secret belongs to the service at a host, as far as names tell. */
function belongsTo(variable: string, host: string, text: string): boolean {
  const where = host.replace(/^[^@]*@/, '');
  if (LOCAL_HOST.test(where)) return true;
  if (SUSPICIOUS_HOST.test(where)) return false;
  const brands = variable.split('_').filter((word) => word.length > 1 && !GENERIC.has(word) && !/^\d+$/.test(word));
  const bare = where.replace(/[^a-z0-9]/g, '');
  if (brands.length === 0) return LOOKS_LIKE_API.test(where) || API_PATH.test(text);
  return brands.some((brand) => {
    const name = ALIASES[brand] ?? brand;
    return (
      bare.includes(name) ||
      (name.length > 4 && where.split(/[.-]/).some((label) => label.length > 3 && name.includes(label)))
    );
  });
}

/** Credentials in these places are how a client logs in. */
const LOGIN_HEADER =
  /(?:authorization|x-api-key|api-key|apikey|private-token|x-auth-token|x-goog-api-key|x-subscription-token|proxy-authorization|ocp-apim-subscription-key)['"]?\s*[:=]\s*['"`f]{0,2}(?:(?:bearer|token|basic|apikey|bot)\s+)?[^'"`]{0,20}$/;

function isForeignSecret(said: string): boolean {
  const host = new RegExp(URL_PART, 'u').exec(said)?.[1];
  for (const match of said.matchAll(new RegExp(VARIABLE, 'gu'))) {
    const before = said.slice(0, match.index);
    // A variable that holds a whole address says nothing about where it leads.
    if (host === undefined) continue;
    const isLogin = LOGIN_HEADER.test(before) || /(?:\s-u\s*["']?|--user[= ]["']?|:\/\/[^\s/@]{0,40}:?)$/.test(before);
    if (isLogin && !SUSPICIOUS_HOST.test(host.replace(/^[^@]*@/, ''))) continue;
    if (!belongsTo(match[1] as string, host, said)) return true;
  }
  return false;
}

const reason = 'contains a command that sends secrets elsewhere';

/** Commands and code that send secrets to an address. */
export const SECRET_COMMAND_RULES: readonly ScanRule[] = [
  {
    name: 'cloud-metadata',
    category: 'exfiltration',
    scope: 'context',
    reason: 'asks for the credentials of a cloud machine',
    view: 'text',
    requiredParts: '169.254.169.254 metadata.google.internal',
    pattern:
      /\b(?:fetch|curl|get|open|read|query|wget|visit|call|request|browse)\b[^.]{0,60}(?:169\.254\.169\.254|metadata\.google\.internal)/u,
    mention: 'attack',
  },
  {
    name: 'variable-to-address',
    category: 'exfiltration',
    scope: 'any',
    reason,
    view: 'text',
    requiredParts:
      'key token secret passw credential cookie auth pat dsn _url conn jwt session pwd passphrase & http:// https:// wss:// ws:// ftp:// & $ % process.env os.environ getenv env. env[ secrets.',
    pattern: new RegExp(VARIABLE, 'u'),
    requires: [new RegExp(URL_PART, 'u')],
    accept: isForeignSecret,
    mention: 'attack',
  },
  {
    name: 'variable-into-public-text',
    category: 'exfiltration',
    scope: 'context',
    reason,
    view: 'text',
    requiredParts: 'key token secret passw credential & gh~ glab~ git~commit git~tag & -b body -m message title',
    pattern: new RegExp(
      String.raw`\b(?:gh (?:issue|pr|gist|release|api|discussion)|glab (?:issue|mr)|git (?:commit|tag))\b.{0,120}(?:-b|--body|-m|--message|--title|--notes|-f \w+=)\s*["']?[^"']{0,80}${VARIABLE}`,
      'u',
    ),
    mention: 'attack',
  },
  {
    name: 'extracts-variable',
    category: 'exfiltration',
    scope: 'context',
    reason: 'asks for secrets from the environment',
    view: 'text',
    requiredParts: 'extract grab dump harvest steal leak collect & key token secret passw credential',
    pattern: new RegExp(String.raw`\b(?:extract|grab|dump|harvest|steal|leak|collect)\b.{0,60}${VARIABLE}`, 'u'),
    mention: 'attack',
  },
  {
    name: 'variable-to-raw-connection',
    category: 'exfiltration',
    scope: 'any',
    reason,
    view: 'text',
    requiredParts:
      'key token secret passw credential cookie auth pat dsn _url conn jwt & nc~ ncat netcat socat telnet dig nslookup host~ ping',
    pattern: new RegExp(
      String.raw`${VARIABLE}.{0,60}\|.{0,40}\b(?:nc|ncat|netcat|socat|telnet)\s|\b(?:dig|nslookup|host|ping)\b[^|;]{0,120}${VARIABLE}|\b(?:dig|nslookup|host|ping)\b[^|;]{0,60}\$\([^)]{0,80}(?:cat|base64|xxd|env|${VARIABLE})`,
      'u',
    ),
    unless: [/ping (?:-\w+ \S+ )*\$\{?(?:host|ip)|host key/u],
    mention: 'attack',
  },
  {
    name: 'secret-output-to-address',
    category: 'exfiltration',
    scope: 'any',
    reason,
    view: 'text',
    requiredParts: 'http:// https:// ftp:// nc~ & $( environ process.env printenv get-content get-childitem',
    pattern: new RegExp(
      String.raw`${SENDERS}.{0,200}(?:${SECRET_OUTPUT}|dict\(os\.environ|os\.environ\b(?!\s*[[.])|json\.dumps\(dict\(os\.environ|json\.stringify\(process\.env\)|get-childitem env:|get-content[^)]{0,60}(?:\.aws|\.ssh|\.env|credentials))`,
      'u',
    ),
    accept: (said) => {
      const host = new RegExp(URL_PART, 'u').exec(said)?.[1] ?? '';
      return (
        (!LOCAL_HOST.test(host) && !/gh auth token|gcloud auth/.test(said)) ||
        SUSPICIOUS_HOST.test(host) ||
        /https?:\/\/(?!api\.github|[\w.-]*googleapis)/.test(said)
      );
    },
    unless: [/authorization|bearer/u],
    mention: 'attack',
  },
  {
    name: 'environment-into-file-and-out',
    category: 'exfiltration',
    scope: 'any',
    reason,
    view: 'text',
    requiredParts: 'env printenv set~ & > & curl wget scp nc~ ftp rsync',
    pattern:
      /\b(?:env|printenv|set|export -p)\s*>{1,2}\s*(\S+).{0,60}\b(?:curl|wget|scp|nc|ftp|rsync|aws)\b.{0,120}\1/u,
  },
  {
    name: 'secret-file-to-host',
    category: 'exfiltration',
    scope: 'any',
    reason,
    view: 'text',
    requiredParts:
      'scp rsync s3 gsutil rclone sftp ftp nc~ ncat socat curl wget croc magic-wormhole & .env .ssh id_ .aws .gnupg .netrc .npmrc .pypirc credential kube .docker .config/g .hermes shadow login~data cookies wallet history secret private .pem .p12 .key',
    pattern: new RegExp(
      String.raw`\b(?:scp|rsync|sftp|croc|wormhole)\s(?:-(?!i\b)\S+\s+)*(?!-)["']?[^\s|;]{0,60}${SECRET_PATH}\S*\s+\S*[:@]|\b(?:aws s3 (?:cp|sync|mv)|gsutil (?:-m )?cp|rclone copy|gcloud storage cp|az storage blob upload)\s[^|;]{0,80}${SECRET_PATH}\S*\s+(?:s3|gs|\w+):|\b(?:nc|ncat|socat|telnet)\b[^|;]{0,80}<\s*\S{0,40}${SECRET_PATH}|\b(?:curl|wget)\b[^|;]{0,160}(?:-t|--upload-file|@|=@|--post-file[= ]|file=)\s*["']?\S{0,40}${SECRET_PATH}`,
      'u',
    ),
    unless: [/\bsudo cp\b|--cert\b|--cacert\b|--key\s/u],
    mention: 'attack',
  },
  {
    name: 'archive-to-stranger',
    category: 'exfiltration',
    scope: 'context',
    reason,
    view: 'text',
    requiredParts: 'tar~ zip~ git~archive git~bundle & | & ssh nc~ curl',
    pattern:
      /\b(?:tar|zip|git archive|git bundle)\b[^|]{0,100}\|\s*(?:ssh\s+\S*@?|nc\s+|ncat\s+|curl\s[^|]{0,100}\/\/)(?!127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)\d{1,3}(?:\.\d{1,3}){3}/u,
  },
];
