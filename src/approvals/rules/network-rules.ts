import { readsSecrets } from '../files/guarded-paths.ts';
import type { MachineFacts } from '../files/machine-facts.ts';
import { isSecretVariable, secretVariablesIn } from '../files/secrets.ts';
import { splitCopy, uploadsOf } from '../files/copy-arguments.ts';
import { domainOf } from '../files/hosts.ts';
import { splitGit } from '../shell/git-commands.ts';
import type { ShellCommand, Source } from '../shell/shell-command.ts';
import { SHELLS } from '../shell/wrappers.ts';
import { type ProgramRow, tableRule } from './program-table.ts';
import type { CommandRule } from './rule.ts';

/** Programs that can send data to another machine. */
const SENDERS = new Set(
  [
    'curl wget nc ncat netcat socat scp sftp ftp telnet http https xh rclone mail sendmail mutt dig nslookup',
    'host ping ssh aws gsutil rsync croc transfer s3cmd s5cmd mc azcopy aria2c axel lynx w3m links websocat',
    'wormhole getent git gh glab mailx s-nail swaks sendemail msmtp drill kdig whois traceroute mosquitto_pub kcat',
    'telegram-send slackcat ntfy pastebinit plink dbclient autossh mosh lftp tftp open xdg-open chromium firefox',
  ].flatMap((line) => line.split(' ')),
);
/**
 * Clients that usually get a key for the service they talk to. Only keys that clearly belong to another service count.
 */
const KEYED_CLIENTS = new Set([
  ...'git pip pip3 uv npm pnpm yarn psql mysql mariadb redis-cli mongosh grpcurl mosquitto_pub slack aws'.split(' '),
]);
/** The subcommands with which git talks to another machine. */
const GIT_TRANSFER = /^(?:push|fetch|pull|clone|ls-remote|remote|submodule|archive)$/;
/** Programs that print all environment variables, including API keys. */
const PRINTS_ENVIRONMENT = new Set(['env', 'printenv', 'set', 'export', 'declare', 'compgen']);
/** Private files: reading them locally is fine, sending them elsewhere is not. */
const PERSONAL =
  /(?:^|\/)\.env(?:\.\w+)?$|\/etc\/(?:passwd|shadow|hosts|sudoers)$|\/\.(?:bash|zsh)_history$|\.(?:pem|key|p12|pfx|kdbx)$|\/\.ssh(?:\/|$)/;
/** Programs that copy to another machine, and key folders that must not be copied. */
const COPIES = /^(?:aws|gsutil|rclone|rsync|scp|s3cmd|s5cmd|mc|azcopy)$/;
/** Services and the hosts their keys belong to; a key sent to any other host is exfiltration. */
const OWN_HOSTS: Readonly<Record<string, RegExp>> = {
  OPENAI: /openai|azure/,
  ANTHROPIC: /anthropic/,
  GEMINI: /google/,
  GOOGLE: /google/,
  GITHUB: /github|ghcr/,
  GH: /github|ghcr/,
  GITLAB: /gitlab/,
  AWS: /amazonaws|aws/,
  NPM: /npm/,
  HF: /huggingface|hf\.co/,
  STRIPE: /stripe/,
  SLACK: /slack/,
  HUGGINGFACE: /huggingface|hf\.co/,
  ...Object.fromEntries(
    [
      'WANDB COMET NEPTUNE REPLICATE COHERE MISTRAL GROQ OPENROUTER DEEPSEEK TOGETHER FIREWORKS PERPLEXITY TAVILY PINECONE',
      'SENTRY DATADOG NEWRELIC CLOUDFLARE DIGITALOCEAN HEROKU VERCEL NETLIFY RAILWAY SUPABASE TWILIO SENDGRID MAILGUN',
      'NOTION LINEAR ASANA JIRA AIRTABLE FIGMA CIRCLECI BITBUCKET DOCKERHUB PYPI CODECOV SNYK SONAR TAILSCALE NGROK KAGGLE',
    ].flatMap((line) => line.split(' ').map((name): [string, RegExp] => [name, new RegExp(name.toLowerCase())])),
  ),
};

const SELF_HOSTED = new Set(['GITLAB', 'GITEA', 'SENTRY', 'SONAR', 'JIRA', 'BITBUCKET', 'VAULT', 'JENKINS', 'GRAFANA']);

/** A key in code that belongs to another service than the one the code talks to. */
function codeSendsKey({ code }: ShellCommand): boolean {
  if (code === undefined || code.hosts.length === 0) return false;
  const hosts = code.hosts.filter((host) => !isLocalHost(host));
  // The name of a key shows where it belongs if it begins with that of a service.
  const sent = code.secrets.filter(
    (name) => code.variables.includes(name) || Object.hasOwn(OWN_HOSTS, name.split('_')[0] ?? ''),
  );
  return (
    hosts.length > 0 && sent.filter(isSecretVariable).some((name) => !hosts.every((host) => belongsTo(name, host)))
  );
}

/** Whether a key is meant for a host, as far as their names show. */
function belongsTo(variable: string, host: string): boolean {
  const [owner = ''] = variable.split('_');
  const own = Object.hasOwn(OWN_HOSTS, owner) ? OWN_HOSTS[owner] : undefined;
  if (isUnknown(host)) return true;
  // Anyone can put the name of a service in front of a domain, but people do run these services themselves.
  const name = SELF_HOSTED.has(owner) ? host : domainOf(host);
  return own?.test(name) ?? name.includes(owner.toLowerCase());
}

/** Servers that let everybody in, and editors that open this machine to their service. */
const OPEN_SERVERS: readonly ProgramRow[] = [
  ['code code-insiders cursor codium', /^tunnel\b(?! (?:kill|status|help|user show|--help))/],
  ['jupyter jupyter-lab jupyter-notebook', /(?:token|password)=(?:''|""|\s|$)|--IdentityProvider\.token=(?:\s|$)/],
  ['code-server openvscode-server', /--auth[= ]none\b|--without-connection-token\b/],
  ['redis-server valkey-server', /--protected-mode[= ]no\b/],
  ['mongod', /--bind_ip_all\b.*--noauth\b|--noauth\b.*--bind_ip_all\b/],
  ['vncserver x11vnc Xvnc', /-SecurityTypes[= ]None|(?:^|\s)-nopw\b/],
];

/** Sending secrets, and opening a shell or tunnel to the network. */
export const NETWORK_RULES: readonly CommandRule[] = [
  {
    rule: 'open a shell to the network',
    commands: 'nc ncat netcat socat nc.traditional telnet openssl cryptcat'.split(' '),
    when: ({ name, args, fedBy }) =>
      args.some((arg) => /^-[a-z]*[ec]$|^--(?:sh-)?exec|^(?:EXEC|SYSTEM|SHELL):/i.test(arg) && name !== 'openssl') ||
      (fedBy.some((source) => SHELLS.has(source.name)) && name !== 'openssl') ||
      (name === 'openssl' && args.includes('s_client') && fedBy.some((source) => SHELLS.has(source.name))),
  },
  {
    rule: 'open a shell to the network',
    when: ({ redirects, args }) =>
      [...redirects.map(({ target }) => target), ...args].some(
        (word) => /\/dev\/(?:tcp|udp)\//.test(word) && !/\s/.test(word),
      ) && redirects.length > 0,
  },
  { rule: 'send secrets to another machine', aboutInput: true, when: isSecretToSend },
  { rule: 'send secrets to another machine', when: ({ code }) => code?.sendsEnvironment === true },
  { rule: 'send secrets to another machine', when: codeSendsKey },
  {
    rule: 'open a tunnel to this machine',
    commands: [
      'ssh autossh ngrok cloudflared chisel frpc bore lt localtunnel tmate ttyd gotty sshx upterm pinggy',
      'zrok inlets localhost.run serveo tunnelto loophole telebit expose',
    ].flatMap((line) => line.split(' ')),
    everydayName: true,
    when: ({ name, args }) =>
      /^(?:tmate|sshx|upterm|ttyd|gotty|lt|localtunnel|tunnelto|loophole)$/.test(name)
        ? !args.some((arg) => /^(?:-V|--version|--help|-h)$/.test(arg))
        : name === 'ssh' || name === 'autossh'
          ? args.some((arg) => /^-[A-Za-z]*R/.test(arg))
          : args.some((arg) => /^(?:tcp|http|tunnel|client|local|access|share|start|public|-c)$/.test(arg)),
  },
  tableRule('open a tunnel to this machine', OPEN_SERVERS),
];

const isKeyFolder = (path: string) =>
  /(?:^|\/)\.(?:ssh|aws|kube|gnupg|azure|docker|password-store)(?:\/(?!.*\.pub$).*)?$/.test(path);

const isRemoteTarget = (target = '') => /^[\w.@-]+:/.test(target);

/** `find -name '*.pem' -exec curl …`: the search pattern shows what is sent. */
function sendsWhatIsFound(args: readonly string[]): boolean {
  const at = args.findIndex((arg) => /^-(?:exec|ok)/.test(arg));
  if (at < 0 || !SENDERS.has(args[at + 1] ?? '')) return false;
  return args
    .slice(0, at)
    .some((arg) => /\.(?:pem|key|p12|pfx|kdbx|env)\b|\bid_[a-z\d*]+|credentials|wallet/.test(arg));
}

/** What a copy program sends; a key that it uses to connect is not sent. */
function sourcesOf({ name, args }: ShellCommand): readonly string[] {
  return name === 'scp' || name === 'rsync' || name === 'sftp' ? splitCopy({ name, args }).sources : args.slice(0, -1);
}

/** Whether a command sends secrets, or files that contain secrets, to another machine. */
function isSecretToSend(command: ShellCommand, facts: MachineFacts): boolean {
  const { name, args, fedBy, redirects } = command;
  if (name === 'find') return sendsWhatIsFound(args);
  if (command.suspected || (!SENDERS.has(name) && !KEYED_CLIENTS.has(name))) return false;
  if (!/^(?:gh|glab)$/.test(name) && sendsKey(command)) return true;
  if (!SENDERS.has(name)) return false;
  if (/^(?:git|gh|glab)$/.test(name)) {
    const sends =
      name === 'git' ? GIT_TRANSFER.test(splitGit(args).command) : !/^(?:secret|variable|auth)$/.test(args[0] ?? '');
    return sends && fedBy.some((source) => isSecretSource(source, command, facts));
  }
  if (COPIES.test(name) && sourcesOf(command).some(isKeyFolder) && isRemoteTarget(args.at(-1))) return true;
  if (name === 'ssh' || name === 'rsync' || name === 'aws')
    return fedBy.some((source) => isSecretSource(source, command, facts));
  const sent = uploadsOf(command);
  const uploads = [...sent.files, ...sent.bodies].some((path) => PERSONAL.test(path) && !/\s/.test(path));
  const copied =
    /^(?:scp|rclone|sftp|croc)$/.test(name) &&
    sourcesOf(command).some((arg) => PERSONAL.test(arg) && !args.at(-1)?.startsWith('.'));
  const given = redirects.some(({ operator, target }) => operator === '<' && PERSONAL.test(target));
  return uploads || copied || given || fedBy.some((source) => isSecretSource(source, command, facts));
}

/**
 * Whether a request sends a key to a host it does not belong to. A key in a header is authentication at its own host;
 * in the URL or the body of a request to another host it is leaked.
 */
function sendsKey({ name, args, fedBy, input }: ShellCommand): boolean {
  // The text of a commit stays on this machine.
  if (name === 'git' && !args.some((arg) => GIT_TRANSFER.test(arg))) return false;
  const hosts = hostsIn(
    name === 'psql' || name === 'redis-cli' ? args.flatMap((arg) => arg.replace(/^\w+:\/\//, 'https://')) : args,
  );
  if (hosts.every(isLocalHost) && hosts.length > 0) return false;
  const atHome = (variable: string) => hosts.some((host) => belongsTo(variable, host));
  const piped = fedBy
    .filter((source) => /^(?:echo|printf|printenv)$/.test(source.name))
    .flatMap(({ args: said }) => said);
  const found = (text: string, certain: boolean) =>
    secretVariablesIn(text).some(
      (variable) => !atHome(variable) && (certain || (variable.split('_')[0] ?? '') in OWN_HOSTS),
    );
  return (
    args.some((arg, index) => found(arg, !(isAuthOption(args[index - 1] ?? '', arg) || KEYED_CLIENTS.has(name)))) ||
    piped.some((text) => found(text, true) || found(`$${text}`, true)) ||
    (input !== undefined && found(input, true))
  );
}

/** Options that carry authentication. */
function isAuthOption(before: string, arg: string): boolean {
  return (
    /^(?:-H|--header|-u|--user|--oauth2-bearer|-b|--cookie|-A|--token)$/.test(before) ||
    /^(?:-[Hu].|--(?:header|user)=|[\w-]+:(?!\/\/))/.test(arg)
  );
}

function hostsIn(args: readonly string[]): string[] {
  return args.flatMap(
    (arg) =>
      /^(?:https?|ftp|wss?):\/\/(?:[^@/]*@)?([^/:?#]+)/.exec(arg)?.[1] ??
      hostVariable(arg) ??
      (/^(?:[\w.$-]+\.[a-z]{2,}|localhost)(?:[/:?].*)?$/.test(arg) ? [arg.split(/[/:?]/)[0] ?? ''] : []),
  );
}

/** `$API/users`: a variable with the address of the service. One with a key is no address. */
function hostVariable(arg: string): string | undefined {
  const variable = /^(?:\$\w+|\$\{\w+\})(?=[/:?]|$)/.exec(arg)?.[0];
  return variable !== undefined && secretVariablesIn(variable).length === 0 ? variable : undefined;
}

/** Whether the host is known only at run time; such a host is not reported. */
function isUnknown(host: string): boolean {
  return /^[$`]/.test(host) && !/\.[a-z]+$/.test(host);
}

function isLocalHost(host: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0\.0\.0\.0|host\.docker\.internal|.*\.(?:local|localhost|test|internal))$/.test(
    host,
  );
}

/** Programs that use a private file without printing it, and a search for one value, such as the key of a service. */
function isOneValue({ name, args }: Source): boolean {
  if (/^(?:ssh|curl|source|\.)$/.test(name)) return true;
  const [pattern = ''] = args.filter((arg) => !arg.startsWith('-'));
  return name === 'grep' && /\w{3}/.test(pattern) && !args.some((arg) => /^-[a-zA-Z]*v|^--invert/.test(arg));
}

function isSecretSource(source: Source, command: ShellCommand, facts: MachineFacts): boolean {
  // Environment variables of a container or another machine count as well.
  if (
    /^(?:docker|podman|kubectl|ssh)$/.test(source.name) &&
    source.args.some((arg) => /^(?:env|printenv)$|\.Config\.Env/.test(arg))
  )
    return true;
  if (PRINTS_ENVIRONMENT.has(source.name)) return source.args.every((arg) => arg.startsWith('-'));
  if (source.args.some((arg) => PERSONAL.test(arg)) && !isOneValue(source)) return true;
  return readsSecrets(
    { ...command, name: source.name, args: [...source.args], redirects: [], directory: source.directory },
    facts,
  );
}
