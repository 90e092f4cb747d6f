import type { CertainCheck } from './certain-checks.ts';

/** A variable whose name says that it holds a secret, in the spelling of a shell or a program; the name is captured. */
const VARIABLE = String.raw`(?:\$\{?(?:env:)?|%|process\.env\.|process\.env\[['"]|os\.environ(?:\.get)?[[(]['"]|os\.getenv\(['"]|getenv\(['"]|env\[['"]|env\.|import\.meta\.env\.|deno\.env\.get\(['"]|secrets\.)([a-z0-9_]*?(?:key|keys|token|secret|password|passwd|passphrase|pwd|credential|credentials|cookie|auth|pat|dsn|database_url|conn_str|connection_string|jwt|session_id|sessionid)s?\d*)\b`;
/** What a program prints about its environment or its logins. */
const SECRET_OUTPUT = String.raw`\$\(\s*(?:gh auth token|gcloud auth print-\S+|aws configure get \S+|security find-\S+|pass show|vault (?:read|kv get)|op read|kubectl get secret|printenv|env\b|set\b|whoami;? ?env)`;
const SENDERS = String.raw`\b(?:curl|wget|http|https|httpie|xh|nc|ncat|netcat|socat|telnet|iwr|irm|invoke-webrequest|invoke-restmethod|fetch|axios(?:\.\w+)?|got|requests\.\w+|urllib\.request\.urlopen|urlopen|httpx\.\w+|ping|dig|nslookup|host|open|xdg-open|lynx|aria2c)\b`;
const SENDER = new RegExp(SENDERS);
const URL_PART = String.raw`(?:https?|wss?|ftp):\/\/([^\s\/"'${'`'}<>?#]+)`;
const SECRET_PATH = String.raw`(?:~|\$home|\$\{home\}|/root|/home/[\w.-]+|\$env:userprofile|%userprofile%)?[\\/]?(?:\.env\b(?!\.(?:example|sample|template|dist))(?:\.\w+)?|\.ssh\b(?![\\/]?\S*\.pub)|id_(?:rsa|dsa|ed25519|ecdsa)\b(?!\.pub)|\.aws\b|\.gnupg\b|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials\b|\.kube[\\/]config|kubeconfig|\.docker[\\/]config|\.config[\\/]gh\b|\.config[\\/]gcloud|\.hermes[\\/](?:\.env|auth\.json|state\.db)|etc[\\/](?:shadow|passwd)|login data\b|cookies\.sqlite|wallet\.dat|\.bash_history|\.zsh_history|secrets?\.(?:ya?ml|json|toml|txt)|credentials(?:\.\w+)?\b|private[_-]?key|\.(?:pem|p12|key)\b)`;

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
/** Services whose secrets never go to the API of another one. */
const KNOWN_SERVICES = new Set(
  `openai anthropic claude gpt gemini google gcp github gh gitlab aws amazon azure stripe slack discord telegram tg npm pypi huggingface hf cloudflare digitalocean twilio sendgrid supabase vercel netlify heroku datadog sentry linear notion jira atlassian mongodb postgres docker vault groq mistral cohere replicate openrouter paypal`.split(
    ' ',
  ),
);
/** Hosts that do not occur in legitimate examples. */
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
  if (
    !brands.some((brand) => KNOWN_SERVICES.has(brand)) &&
    (LOOKS_LIKE_API.test(where) || /^git(?:hub|lab)\.com/.test(where))
  )
    return true;
  if (brands.length === 0) return API_PATH.test(text);
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

/** Whether a variable is the value of a setting of the same name, and nothing is sent. */
function isConfigured(name: string, before: string, said: string): boolean {
  const entry = /([a-z0-9_]+)['"]?\s*[:=]\s*['"]?(?:\$\{\{\s*)?$/.exec(before)?.[1];
  return entry === name && !SENDER.test(said.replace(/\w+:\/\/\S+/g, ''));
}

/** Whether a variable goes to a host that it does not belong to, other than as a login. */
function isForeignSecret(said: string): boolean {
  const host = new RegExp(URL_PART).exec(said)?.[1];
  for (const match of said.matchAll(new RegExp(VARIABLE, 'g'))) {
    const before = said.slice(0, match.index);
    // A variable that holds a whole address says nothing about where it leads.
    if (host === undefined) continue;
    const isLogin = LOGIN_HEADER.test(before) || /(?:\s-u\s*["']?|--user[= ]["']?|:\/\/[^\s/@]{0,40}:?)$/.test(before);
    if (isConfigured(match[1] as string, before, said)) continue;
    if (isLogin && !SUSPICIOUS_HOST.test(host.replace(/^[^@]*@/, ''))) continue;
    if (!belongsTo(match[1] as string, host, said)) return true;
  }
  return false;
}

/** Programs that copy files to another machine, that send a file as a body, and that publish files. */
const SENDING =
  /\b(?:(scp|rsync|sftp|croc|wormhole|aws s3 (?:cp|sync|mv)|gsutil (?:-m )?cp|rclone copy|gcloud storage cp|az storage blob upload)|(nc|ncat|socat|telnet|openssl s_client|curl|wget)|gh gist create)\s([^|;]{1,200})/g;
const SECRET_FILE = new RegExp(SECRET_PATH);
const COPIED_FILE = new RegExp(String.raw`${SECRET_PATH}\S*\s+\S*[:@]`);
const SENT_FILE = new RegExp(String.raw`(?:<|-t|--upload-file|@|--post-file[= ]|file=)\s*["']?\S{0,40}${SECRET_PATH}`);

function sendsSecretFile(said: string): boolean {
  return [...said.matchAll(SENDING)].some(([, copies, sends, rest = '']) => {
    if (!SECRET_FILE.test(rest)) return false;
    if (copies !== undefined) return COPIED_FILE.test(rest.replace(/-i\s+\S+/, ''));
    return sends === undefined || SENT_FILE.test(rest);
  });
}

const SHARED = {
  category: 'exfiltration',
  scope: 'any',
  reason: 'contains a command that sends secrets elsewhere',
} as const;
const VARIABLE_PARTS = '$ % process.env os.environ getenv env. env[ secrets.';
const SECRET_PARTS = 'key token secret passw credential cookie auth pat dsn _url conn jwt session pwd passphrase';

/** Commands and code that send secrets to an address. */
export const SECRET_COMMANDS: readonly CertainCheck[] = [
  {
    ...SHARED,
    rule: 'variable-to-address',
    requiredParts: `${SECRET_PARTS} & http:// https:// wss:// ws:// ftp:// & ${VARIABLE_PARTS}`,
    pattern: new RegExp(VARIABLE),
    accept: isForeignSecret,
  },
  {
    ...SHARED,
    rule: 'variable-into-public-text',
    scope: 'context',
    requiredParts: `key token secret passw credential & gh~ glab~ git~commit git~tag & ${VARIABLE_PARTS}`,
    pattern: new RegExp(
      String.raw`\b(?:gh (?:issue|pr|gist|release|api|discussion)|glab (?:issue|mr)|git (?:commit|tag))\b.{0,120}(?:-b|--body|-m|--message|--title|--notes|-f \w+=)\s*["']?[^"']{0,80}${VARIABLE}`,
    ),
  },
  {
    ...SHARED,
    rule: 'variable-to-raw-connection',
    requiredParts: `${SECRET_PARTS} & nc~ ncat netcat socat telnet dig~ nslookup host~ ping~ & $ % process.env`,
    pattern: new RegExp(
      String.raw`${VARIABLE}.{0,60}\|.{0,40}\b(?:nc|ncat|netcat|socat|telnet)\s|\b(?:dig|nslookup|host|ping)\b[^|;]{0,120}${VARIABLE}|\b(?:dig|nslookup|host|ping)\b[^|;]{0,60}\$\([^)]{0,80}(?:cat|base64|xxd|env|${VARIABLE})`,
    ),
    unless: /ping (?:-\w+ \S+ )*\$\{?(?:host|ip)|host key/,
  },
  {
    ...SHARED,
    rule: 'secret-output-to-address',
    requiredParts: 'http:// https:// ftp:// nc~ & $( environ process.env printenv get-content get-childitem',
    pattern: new RegExp(
      String.raw`${SENDERS}.{0,200}(?:${SECRET_OUTPUT}|dict\(os\.environ|os\.environ\b(?!\s*[[.])|json\.stringify\(process\.env\)|get-childitem env:|get-content[^)]{0,60}(?:\.aws|\.ssh|\.env|credentials))`,
    ),
    unless: /authorization|bearer|https?:\/\/(?:localhost|127\.|api\.github|[\w.-]*googleapis)/,
  },
  {
    ...SHARED,
    rule: 'secret-file-in-address',
    requiredParts:
      'http:// https:// ftp:// & $( ` & .env .ssh id_ .aws .gnupg .netrc .npmrc .pypirc credential .hermes shadow',
    pattern: new RegExp(
      String.raw`${SENDERS}[^|;]{0,200}${URL_PART}[^|;\s]{0,200}(?:\$\(|${'`'})[^)${'`'}]{0,80}${SECRET_PATH}`,
    ),
    unless: /authorization|bearer|https?:\/\/(?:localhost|127\.)/,
  },
  {
    ...SHARED,
    rule: 'environment-into-file-and-out',
    requiredParts: 'env printenv set~ & > & curl wget scp nc~ ftp rsync',
    pattern: /\b(?:env|printenv|set|export -p)\s*>{1,2}\s*(\S+).{0,60}\b(?:curl|wget|scp|nc|ftp|rsync|aws)\b.{0,120}\1/,
  },
  {
    ...SHARED,
    rule: 'secret-file-to-host',
    requiredParts:
      'scp rsync s3 gsutil rclone sftp ftp nc~ ncat socat curl wget croc wormhole gist openssl & .env .ssh id_ .aws .gnupg .netrc .npmrc .pypirc credential kube .docker .config/g .hermes shadow login~data cookies wallet history secret private .pem .p12 .key',
    pattern: SENDING,
    accept: sendsSecretFile,
    unless: /\bsudo cp\b|--cert\b|--cacert\b|--key\s/,
  },
];
