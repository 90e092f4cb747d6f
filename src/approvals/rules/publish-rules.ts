import { uploadsOf } from '../files/copy-arguments.ts';
import { optionValues, type ShellCommand, type Source } from '../shell/shell-command.ts';
import { parseSubcommand } from '../shell/subcommands.ts';
import { hostOf, isPrivateHost, namesMetadataService } from '../files/hosts.ts';
import type { CommandRule } from './rule.ts';

const SEND = 'send secrets to another machine';
const PUBLISH = 'publish files to everyone';

/** Files that hold secrets or personal data, by their usual names. */
const PRIVATE_FILE =
  /(?:^|[/@=:<])(?:\.env(?:\.(?!example|sample|template|dist|defaults)[\w.-]+)?|\.envrc|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.(?:bash|zsh|python|psql|mysql|node_repl|irb|sqlite)_history|id_(?:rsa|dsa|ecdsa|ed25519)|(?:[\w.-]*[._-])?(?:credentials?|secrets?|passwords?|tokens?|service[_-]?account[\w-]*|private[_-]?key|wallet|keystore|kubeconfig)\.(?:json|ya?ml|txt|ini|toml|env|csv|xml|enc|key|db|dat)|[\w.-]+\.(?:pem|key|p12|pfx|kdbx|jks|keystore|ppk|ovpn|gpg|asc))$/i;

const isPrivateFile = (word: string) =>
  word.length < 1000 &&
  !/\s/.test(word) &&
  PRIVATE_FILE.test(word) &&
  !/\.pub$|(?:^|\/)(?:test|tests|fixtures|docs)\//.test(word);

/** Programs that send the files in their arguments. */
const ALWAYS_SENDS: ReadonlySet<string> = new Set(
  [
    'pastebinit pastebin wgetpaste hastebin haste ix sprunge gist transfer transfer.sh onionshare-cli qrcp rsync',
    'scp sftp lftp ncftpput mail mailx mutt neomutt s-nail mpack sendemail swaks msmtp sendmail telegram',
    'telegram-send slackcat discord discord.sh signal-cli matrix surge huggingface curl wget http https xh nc',
    'ncat netcat socat telnet ssh hurl wscat websocat grpcurl mosquitto_pub kcat kafkacat httpie curlie xhs wget2',
  ].flatMap((line) => line.split(' ')),
);
/** Programs that send the files in their arguments with these subcommands. */
const UPLOADERS: Readonly<Record<string, RegExp>> = {
  gh: /^(?:gist (?:create|edit)|release (?:create|upload)|(?:issue|pr) (?:create|comment|edit|review)|repo (?:create|edit)|api)\b/,
  glab: /^(?:snippet create|release (?:create|upload)|(?:issue|mr) (?:create|note|update))\b/,
  wormhole: /^(?:send|tx)\b/,
  'magic-wormhole': /^(?:send|tx)\b/,
  'wormhole-william': /^send\b/,
  croc: /^(?:send\b|[^-])/,
  ffsend: /^(?:upload|u)\b/,
  portal: /^send\b/,
  aws: /^s3(?:api)? (?:cp|sync|mv|put-object)\b/,
  gsutil: /^(?:cp|rsync|mv)\b/,
  gcloud: /^(?:storage (?:cp|rsync|mv)|compute scp)\b/,
  az: /^storage (?:blob|file|fs) (?:upload|sync|copy)/,
  azcopy: /^(?:cp|copy|sync)\b/,
  rclone: /^(?:copy|copyto|sync|move|moveto|rcat)\b/,
  mc: /^(?:cp|mirror|mv|put)\b/,
  s3cmd: /^(?:put|sync)\b/,
  s5cmd: /^(?:cp|sync|mv)\b/,
  b2: /^(?:upload-file|file upload|sync)\b/,
  slack: /^(?:file|files|chat)\b/,
  ntfy: /^(?:publish|pub|send)\b/,
  ipfs: /^add\b/,
  netlify: /^deploy\b/,
  vercel: /^(?:deploy\b|$)/,
  'huggingface-cli': /^upload\b/,
  hf: /^upload\b/,
  kaggle: /^datasets (?:create|version)\b/,
  dvc: /^push\b/,
  openssl: /^s_client\b/,
};

/** Copies within this machine or from another one send nothing. */
function staysHere({ name, args }: ShellCommand): boolean {
  const last = args.at(-1) ?? '';
  if (name === 'rsync' || name === 'scp') return !/^(?:[\w.@-]+:|\w+:\/\/)/.test(last);
  if (/^(?:aws|gsutil|gcloud|rclone|mc|s3cmd|s5cmd|azcopy)$/.test(name))
    return !args.some(
      (arg, index) =>
        index > 0 && /^(?:s3|gs|https?):\/\/|^[\w-]+:/.test(arg) && index >= args.findIndex(isPrivateFile),
    );
  const hosts = args.filter((arg) => /^[\w+]+:\/\//.test(arg)).map(hostOf);
  return hosts.length > 0 && hosts.every(isPrivateHost);
}

/** The files that a command sends; a file that a client uses to connect is not sent. */
function sentFiles(command: ShellCommand): string[] {
  const { name, args, redirects } = command;
  const used = new Set(
    optionValues(
      args,
      /^(?:-[iIEK]|-(?:cert|key|CAfile|o)|--(?:key|cert|cacert|netrc-file|config|identity|env-file|private-key|cert-key|rsh|password-file|exclude(?:-from)?|ca-bundle|output|output-document))=?(.*)$/,
    ),
  );
  const operands = name === 'rsync' || name === 'scp' ? args.slice(0, -1) : name === 'ssh' ? [] : args;
  const given = redirects.filter(({ operator }) => operator === '<').map(({ target }) => target);
  const files = /^(?:curl|wget|https?|xh)$/.test(name) ? uploaded(command) : operands;
  return [...files, ...given].filter((word) => !used.has(word) && !/^(?:-{1,2}exclude|https?:)/.test(word));
}

const uploaded = (command: ShellCommand) => {
  const { files, bodies } = uploadsOf(command);
  return [...files, ...bodies];
};

const isReading = ({ name, args }: Source) =>
  !/^(?:ssh|curl|source|\.|grep|rg|ls|stat|test|git|wc|du|file|ssh-keygen|jq|yq|echo|printf|cut|tr|awk)$/.test(name) &&
  args.some(isPrivateFile);

/** Whether a command sends a file that holds secrets to another machine or to a service. */
function sendsPrivateFile(command: ShellCommand): boolean {
  const { name, args, fedBy, suspected } = command;
  if (suspected || !(ALWAYS_SENDS.has(name) || Object.hasOwn(UPLOADERS, name))) return false;
  if (!ALWAYS_SENDS.has(name)) {
    const text = /^(?:croc|openssl)$/.test(name) ? args.join(' ') : parseSubcommand(name, args).words.join(' ');
    if (UPLOADERS[name]?.test(text.slice(0, 500)) !== true) return false;
  }
  if (staysHere(command)) return false;
  return sentFiles(command).some(isPrivateFile) || (!/^(?:ssh|rsync|scp)$/.test(name) && fedBy.some(isReading));
}

/** Services that show an uploaded text or file to everyone who has the address. */
const DROP_HOST =
  /(?:^|[./@])(?:transfer\.sh|0x0\.st|ix\.io|sprunge\.us|termbin\.com|paste\.rs|dpaste\.(?:org|com)|pastebin\.com|hastebin\.com|paste\.ee|file\.io|bashupload\.com|tmpfiles\.org|catbox\.moe|oshi\.at|clbin\.com|envs\.sh|temp\.sh|gofile\.io|anonfiles\.com|filebin\.net|uguu\.se|keep\.sh|webhook\.site|requestbin\.\w+|pipedream\.net|burpcollaborator\.net|oastify\.com|interact\.sh|requestcatcher\.com|hookbin\.com|beeceptor\.com|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|serveo\.net|discord(?:app)?\.com\/api\/webhooks|hooks\.slack\.com|api\.telegram\.org\/bot)/i;
const PASTE_PROGRAM =
  /^(?:pastebinit|wgetpaste|pastebin|hastebin|haste|ix|sprunge|nopaste|dpaste|fpaste|ffsend|transfer(?:\.sh)?|onionshare-cli|slackcat|ipfs)$/;
const SENDS = /^(?:curl|wget|https?|xh|nc|ncat|netcat|socat|telnet)$/;

const isInput = ({ operator }: ShellCommand['redirects'][number]) => operator === '<';

function publishes(command: ShellCommand): boolean {
  const { name, args, fedBy, suspected, redirects } = command;
  if (suspected) return false;
  if (PASTE_PROGRAM.test(name))
    return (
      (args.some((arg) => !arg.startsWith('-')) || fedBy.length > 0 || redirects.some(isInput)) &&
      (name !== 'ipfs' || args[0] === 'add')
    );
  const words = args.join(' ');
  if (/^(?:aws|gsutil|gcloud|s3cmd|mc)$/.test(name))
    return /(?:--acl[= ]|-a )['"]?public-read|--acl-public\b|--predefined-acl[= ]publicRead|^anonymous set (?:public|download|upload)|^policy set public/i.test(
      words,
    );
  if (name === 'rclone') return /^(?:link|serve)\b/.test(words);
  if (!SENDS.test(name)) return false;
  const sends =
    fedBy.length > 0 ||
    redirects.some(isInput) ||
    args.some((arg) => /^(?:-[a-zA-Z]*[TdF]|--(?:upload-file|data|json|form|post|body))|@/.test(arg));
  return sends && DROP_HOST.test(words);
}

const ARCHIVERS = /^(?:tar|bsdtar|gtar|zip|7z|cpio|git|dd|mysqldump|pg_dump|pg_dumpall|mongodump|sqlite3)$/;

/** `tar c . | nc host port`: whole folders or databases over a plain connection. */
function pipesArchive({ name, args, fedBy, suspected }: ShellCommand): boolean {
  if (suspected || !/^(?:nc|ncat|netcat|socat|curl|telnet)$/.test(name)) return false;
  const archive = fedBy.some(
    (source) =>
      ARCHIVERS.test(source.name) && (source.name !== 'git' || /^(?:archive|bundle)$/.test(source.args[0] ?? '')),
  );
  if (!archive) return false;
  if (name === 'curl' && !args.some((arg) => /^(?:@-|-|\.|[\w.-]+=@-)$/.test(arg))) return false;
  const hosts = args.flatMap((arg) =>
    /\.[a-z]{2,}|:\/\/|^\d+(?:\.\d+){3}|^TCP/i.test(arg) ? [hostOf(arg.replace(/^\w+:(?!\/\/)/, ''))] : [],
  );
  return hosts.some((host) => !isPrivateHost(host));
}

/** Programs that connect to a host in their arguments. */
const CLIENT =
  /^(?:curl|wget2?|https?|xh|curlie|nc|ncat|netcat|socat|telnet|lynx|w3m|links|aria2c|axel|ftp|openssl|fetch|GET|lwp-request|httpie|iwr|Invoke-\w+|grpcurl|websocat|hurl|ab|wrk|nmap|ssh|busybox|crane)$/;

/** The address at which a container gets its credentials. */
const METADATA_VARIABLE = /\$\{?(?:AWS_CONTAINER_CREDENTIALS_(?:FULL|RELATIVE)_URI|IDENTITY_ENDPOINT|MSI_ENDPOINT)\b/;

/** Whether a command asks the metadata service of a cloud, which gives out credentials. */
function asksMetadata({ name, args, redirects, code, suspected }: ShellCommand): boolean {
  if (code?.asksMetadata === true) return true;
  if (redirects.some(({ target }) => target.startsWith('/dev/tcp/') && namesMetadataService(target.slice(8))))
    return true;
  return (
    !suspected && CLIENT.test(name) && args.some((arg) => namesMetadataService(arg) || METADATA_VARIABLE.test(arg))
  );
}

const RESOLVERS = /^(?:dig|nslookup|host|ping6?|drill|kdig|resolvectl|getent|traceroute)$/;

/** `dig $(…).example.org`: the name of the host carries the output of a command. */
const sendsByName = ({ name, args }: ShellCommand) =>
  RESOLVERS.test(name) &&
  args.some((arg) => /(?:\$\(|`)(?!hostname\b)[\s\S]+[)`][\w-]*\.[\w.-]+\.[a-z]{2,}$/i.test(arg));

/** Files and keys that leave this machine. */
export const PUBLISH_RULES: readonly CommandRule[] = [
  { rule: SEND, aboutInput: true, when: sendsPrivateFile },
  { rule: SEND, when: ({ code }) => code?.sendsFiles.some(isPrivateFile) === true },
  { rule: SEND, when: sendsByName },
  { rule: PUBLISH, aboutInput: true, when: publishes },
  { rule: PUBLISH, aboutInput: true, when: pipesArchive },
  { rule: 'read credentials', when: asksMetadata },
];
