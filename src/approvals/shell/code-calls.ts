import { quoteWords } from './shell-command.ts';

/** What the calls of libraries in code do, as far as their names show. */
export type CodeEffect = 'credentials' | 'database' | 'infrastructure' | 'message' | 'processes' | 'upload';

/** Calls by what they do. If `with` is given, the code must also contain that. */
const CALLS: readonly { effect: CodeEffect; call: RegExp; with?: RegExp }[] = [
  // Libraries that return keys and passwords.
  {
    effect: 'credentials',
    call: /\bget_(?:frozen_)?credentials\s*\(|\bgetCredentials\s*\(|\bfromNodeProviderChain\b|\bcredential-providers?\b|\bdefaultProvider\s*\(|\bfrom(?:Ini|SSO|InstanceMetadata|ContainerMetadata|Process|Env)\s*\(\s*\)|\b(?:SharedCredentials|InstanceProfileCredentials|ECSCredentials|ProcessCredentials|CredentialProviderChain)\b|\bInstanceMetadata(?:Fetcher|Provider)\b/,
  },
  {
    effect: 'credentials',
    call: /\bnetrc\s*\.\s*netrc\s*\(|\bimport\s+netrc\b[^;\n]*[;\n][\s\S]*\bnetrc\s*\(|\bNetrc\.read|\bNet::Netrc/,
  },
  { effect: 'credentials', call: /\bfrom\s+netrc\s+import\s+netrc\b/ },
  {
    effect: 'credentials',
    call: /\bkeyring\.get_(?:password|credential)\b|\bsecretstorage\b|\bkeytar\b|\bSecKeychain\w+|\bwin32crypt\b|CryptUnprotectData|\bLibsecret\b|\bgi\.repository\s+import\s+Secret\b|\bpykeepass\b|\bPyKeePass\b/i,
  },
  {
    effect: 'credentials',
    call: /\bgoogle\.auth\b|\bGoogleAuth\b|\bgoogleauth\b/,
    with: /\.token\b|\bid_token\b|\bgetAccessToken\b|\bfetch_access_token\b/,
  },
  {
    effect: 'credentials',
    call: /\b(?:DefaultAzure|ManagedIdentity|AzureCli|Environment)Credential\b/,
    with: /\bget_?[tT]oken\b/,
  },
  {
    effect: 'credentials',
    call: /\bget_secret_value\b|\bGetSecretValueCommand\b|\baccess_secret_version\b|\baccessSecretVersion\b|\bget_session_token\b|\bassume_role\b|\bGetSessionTokenCommand\b|\bhvac\.Client\b|\bSecretClient\b/,
    with: /print|log|puts|echo|write|dump/,
  },
  { effect: 'credentials', call: /\bhuggingface_hub\b|\bHfFolder\b/, with: /\bget_token\s*\(/ },
  {
    effect: 'credentials',
    call: /\bbrowser_?cookie3?\b|\bpycookiecheat\b|\bchrome-cookies-secure\b|\bget_chrome_cookies\b/,
  },
  // The settings of web frameworks, where they are printed.
  {
    effect: 'credentials',
    call: /\b(?:print|puts|echo|dump|dd|p|log|inspect|var_dump)\b[\s(]{1,3}[^;\n]{0,60}?(?:\bsettings\.\w*(?:SECRET|PASSWORD|API_KEY|TOKEN|PRIVATE_KEY)\w*|\bapplication\.(?:credentials|secrets)\b[.[]|\b(?:env|config)\(\s*["'][\w.]*(?:key|secret|token|password)["'])/i,
  },
  { effect: 'credentials', call: /\bgit\s+credential\b|\bgh\.auth\.token|\bauth_token_from_cli\b/ },
  { effect: 'credentials', call: /\.attrs\b[\s\S]{0,40}\bEnv\b/, with: /\bdocker\b/ },
  // Mail and messages. A mail server on this machine is one for tests.
  {
    effect: 'message',
    call: /\.(?:sendmail|send_message)\s*\(/,
    with: /\bsmtplib\b(?![\s\S]*\bSMTP\(\s*["'](?:localhost|127\.|mailhog|mailpit))/,
  },
  { effect: 'message', call: /\bsendMail\s*\(/, with: /\bnodemailer\b(?![\s\S]*["'](?:localhost|127\.))/ },
  { effect: 'message', call: /(?<![\w.>:$])mail\s*\(\s*["'][^"'\s]+@/ },
  { effect: 'message', call: /\bmessages\.create\s*\(/, with: /twilio/i },
  { effect: 'message', call: /\bchat_?[pP]ostMessage\b|\bchat\.postMessage\b/ },
  // Storage services.
  {
    effect: 'upload',
    call: /\.(?:upload_file(?:obj)?|upload_from_(?:filename|file|string)|put_object|upload_blob|uploadFile|fput_object|upload_folder|storbinary|put_file)\s*\(|\bPutObjectCommand\b|\bUpload\s*\(\s*\{/,
    with: /boto3|aioboto|google\.cloud|storage|azure|minio|s3|S3|huggingface|dropbox|ftplib|pysftp|paramiko/,
  },
  // Databases.
  {
    effect: 'database',
    call: /\bdrop_?[dD]atabase\s*\(|\bdrop_?[cC]ollection\s*\(|\bdelete_all\b|\bdestroy_all\b|\bobjects\.all\(\)\.(?:_raw_)?delete\s*\(|\bdelete(?:Many|_many)\s*\(\s*(?:\{\s*\}\s*)?\)|\bflush(?:all|db|All|Db)\s*\(|\bsequelize\.drop\s*\(|\bindices\.delete\s*\(|\bdelete_(?:collection|index)\s*\(|\bmetadata\.drop_all\s*\(|\bdb\.drop_all\s*\(|\bdrop_table\b|\bdropTable\w*\s*\(|::truncate\s*\(|->truncate\s*\(|\bDB::table\([^)]*\)->delete\s*\(|\bSchema::drop\w*\s*\(|\btruncate_tables?\b|\bsync\s*\(\s*\{\s*force\s*:\s*true/,
  },
  { effect: 'database', call: /\.drop\s*\(\s*\)|\.remove\s*\(\s*\{\s*\}\s*\)/, with: /mongo/i },
  {
    effect: 'database',
    call: /\(\s*["']\w+["']\s*\)\.(?:del|delete|truncate)\s*\(\s*\)/,
    with: /knex|supabase|drizzle/i,
  },
  { effect: 'database', call: /\(\s*["'](?:FLUSHALL|FLUSHDB)\b/i },
  { effect: 'database', call: /\.(?:truncate|destroy)\s*\(\s*\{[^}]{0,60}\b(?:truncate|cascade|force)\s*:\s*true/ },
  // Clouds, clusters and containers.
  {
    effect: 'infrastructure',
    call: /\.(?:delete|terminate|remove|purge|deregister|stop)(?:_\w+)?\s*\(/,
    with: /\bboto3\b|\bgoogle\.cloud\b|\bazure\.mgmt\b|\bdigitalocean\b|\bkubernetes\b/,
  },
  { effect: 'infrastructure', call: /\b(?:Delete|Terminate|Purge|Deregister)\w+Command\s*\(/, with: /@aws-sdk/ },
  {
    effect: 'infrastructure',
    call: /\.(?:remove|kill|prune)\s*\(/,
    with: /\bdocker\.(?:from_env|DockerClient)\b|\bdockerode\b/,
  },
  {
    effect: 'infrastructure',
    call: /\bdeleteNamespaced\w+\s*\(|\bdelete_namespace\w*\s*\(|\bdelete_collection_\w+\s*\(/,
  },
  {
    effect: 'infrastructure',
    call: /\b(?:requests|httpx|axios|got|superagent|session|client|http|ky)\.del(?:ete)?\s*\(\s*f?["'`]https?:\/\/(?!localhost|127\.|0\.0\.0\.0|\[?::1|[\w-]+[:/])|\bfetch\s*\(\s*["'`]https?:\/\/(?!localhost|127\.|[\w-]+[:/])[^)]{0,200}\bmethod\s*:\s*["'`]DELETE/,
  },
  {
    effect: 'processes',
    call: /\.(?:kill|terminate|send_signal|suspend)\s*\(/,
    with: /\bpsutil\b[\s\S]*\b(?:process_iter|pids)\b/,
  },
];

export function effectsOf(code: string): CodeEffect[] {
  return [
    ...new Set(
      CALLS.filter((one) => one.call.test(code) && (one.with?.test(code) ?? true)).map(({ effect }) => effect),
    ),
  ];
}

const CHANGES_DATA = /\b(?:drop|delete|truncate|update|alter|grant)\b/i;
const LITERAL = `\\bq[qr]?\\{([^}]{1,2000})\\}|"""([\\s\\S]{1,2000}?)"""|'''([\\s\\S]{1,2000}?)'''|"((?:[^"\\\\]|\\\\[\\s\\S]){1,2000})"|'((?:[^'\\\\]|\\\\[\\s\\S]){1,2000})'|\`((?:[^\`\\\\]|\\\\[\\s\\S]){1,2000})\``;
/** Calls that run a statement, and the string literal that they get. */
const STATEMENT = new RegExp(
  `\\b(?:execute\\w*|\\$?executeRaw\\w*|\\$?queryRaw\\w*|exec\\w*|\\w*query|prepare|do|run|raw|statement|unprepared|text|sql|script|all|each|batch|multi_query|read_sql\\w*)\\s*[(\\s]?\\s*(?:(?:\\w+\\.)?(?:text|SQL|sql)\\s*\\(\\s*)?(?:[\\w$.>-]+\\s*,\\s*)?[frbu]?(?:${LITERAL})`,
  'g',
);

/** The SQL statements that code passes to a database. A database in memory loses nothing. */
export function statementsIn(code: string): string[] {
  if (!CHANGES_DATA.test(code) || (/:memory:/.test(code) && !/\.(?:db|sqlite3?)\b|:\/\//.test(code))) return [];
  const given = [...code.matchAll(STATEMENT)].map((found) => found.slice(1).find((one) => one !== undefined) ?? '');
  const named = [
    ...code.matchAll(new RegExp(`\\b(?:sql|query|stmt|statement|q|s)\\s*=\\s*[frbu]?(?:${LITERAL})`, 'gi')),
  ].map((found) => found.slice(1).find((one) => one !== undefined) ?? '');
  return [...given, ...named].map((text) => text.replace(/\\(["'`])/g, '$1'));
}

const CHMOD = /\bl?chmod(?:Sync|_R)?!?\b\s*\(?([^;\n]{1,300})/g;
const CHOWN = /\bl?chown(?:Sync|_R)?!?\b\s*\(?([^;\n]{1,300})/g;
const MODE =
  /\b0o?([0-7]{3,4})\b|["']0?([0-7]{3,4})["']|["']((?:[ugoa]*[+=][rwxst]+,?)+)["']|\b(511|438|510|4095|2047)\b|\b(S_IRWXO|S_IWOTH|S_ISUID|S_ISGID)\b/;

/** The permission changes of code as shell commands. A path that is not a literal is unknown. */
export function permissionScripts(code: string): string[] {
  if (!/\bl?ch(?:mod|own)/.test(code)) return [];
  const modes = [...code.matchAll(CHMOD)].flatMap(([whole, rest = '']) => {
    const found = MODE.exec(rest);
    if (found === null) return [];
    const [, octal, quoted, symbolic, decimal, constant] = found;
    const mode =
      octal ?? quoted ?? symbolic ?? (decimal === undefined ? modeOf(constant) : Number(decimal).toString(8));
    const path = pathsOf(rest.replace(found[0], ' '))[0] ?? receiverOf(code, whole) ?? '$_';
    return [quoteWords(['chmod', ...(/_R/.test(whole) || /\bwalk\b|rglob/.test(code) ? ['-R'] : []), mode, path])];
  });
  const owners = [...code.matchAll(CHOWN)].flatMap(([whole, rest = '']) =>
    pathsOf(rest).map((path) => quoteWords(['chown', ...(/_R/.test(whole) ? ['-R'] : []), 'user', path])),
  );
  return [...modes, ...owners];
}

function modeOf(constant: string | undefined): string {
  if (constant === 'S_ISUID') return 'u+s';
  return constant === 'S_ISGID' ? 'g+s' : 'o+w';
}

const pathsOf = (text: string) =>
  [...text.matchAll(/"([^"\n]{1,300})"|'([^'\n]{1,300})'/g)].map((found) => found[1] ?? found[2] ?? '');

/** `Path('src').chmod(…)`: the path is before the call. */
function receiverOf(code: string, call: string): string | undefined {
  return /["']([^"'\n]{1,300})["']\s*\)\s*\.\s*$/.exec(code.slice(0, code.indexOf(call)))?.[1];
}
