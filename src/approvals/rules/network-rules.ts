import { readsSecrets } from '../files/guarded-paths.ts';
import type { MachineFacts } from '../files/machine-facts.ts';
import { secretVariablesIn } from '../files/secrets.ts';
import { splitCopy } from '../files/copy-arguments.ts';
import { DECODERS, isInterpreter, NETWORK } from '../shell/script-files.ts';
import type { ShellCommand, Source } from '../shell/shell-command.ts';
import { SHELLS } from '../shell/wrappers.ts';
import type { CommandRule } from './rule.ts';

/** Shell built-ins that execute a text as a script. */
const READERS = new Set(['source', '.', 'eval', 'iex', 'Invoke-Expression']);
/** Programs that can send data to another machine. */
const SENDERS = new Set([
  'curl',
  'wget',
  'nc',
  'ncat',
  'netcat',
  'socat',
  'scp',
  'sftp',
  'ftp',
  'telnet',
  'http',
  'https',
  'xh',
  'rclone',
  'mail',
  'sendmail',
  'mutt',
  'dig',
  'nslookup',
  'host',
  'ping',
  'ssh',
  'aws',
  'gsutil',
  'rsync',
  'croc',
  'transfer',
  's3cmd',
  's5cmd',
  'mc',
  'azcopy',
]);
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
};

/** Whether a command executes the output of one of the sources, through a pipe, `$(…)` or `<(…)`. */
function runsInputOf(command: ShellCommand, sources: ReadonlySet<string>): boolean {
  const { name, args, fedBy } = command;
  const runs = SHELLS.has(name) || isInterpreter(name) || READERS.has(name);
  if (!runs || !fedBy.some((source) => sources.has(source.name))) return false;
  // An interpreter with its own program reads the text as data: `curl … | python3 -m json.tool`, `| node count.js`.
  if (isInterpreter(name)) return readsProgram(args);
  return !hasScriptFile(name, args);
}

function hasScriptFile(name: string, args: readonly string[]): boolean {
  if (!SHELLS.has(name) || args.some((arg) => /^-[a-z]*[cs]$/.test(arg))) return false;
  const file = args.find((arg) => !/^[-+<$`]/.test(arg));
  return file !== undefined && !/^\/dev\/(?:stdin|fd\/0)$/.test(file);
}

/** Whether an interpreter reads its program from stdin, because it has neither a file nor code, or from `$(…)`. */
function readsProgram(args: readonly string[]): boolean {
  const [first = ''] = args.filter((arg) => !/^-[uBEsSwWiq]$/.test(arg));
  if (first === '' || first === '-' || first === '/dev/stdin') return true;
  return (
    args.some((arg) => /^\s*["']?(?:\$\(|`)|^<\(/.test(arg)) ||
    args.some((arg) => /\$\(/.test(arg) && /^-[ceEr]$/.test(first))
  );
}

/** Running downloaded code, sending secrets, and opening a shell or tunnel to the network. */
export const NETWORK_RULES: readonly CommandRule[] = [
  {
    rule: 'run downloaded code',
    aboutInput: true,
    when: (command) => command.runs === 'network' || runsInputOf(command, NETWORK),
  },
  {
    rule: 'run downloaded code',
    everydayName: true,
    commands: ['npx', 'pnpx', 'bunx', 'uvx', 'pnpm', 'yarn', 'pipx', 'deno'],
    when: ({ name, args }) => {
      const words = args.filter((arg) => !arg.startsWith('-'));
      const runs =
        name.endsWith('x') && name !== 'pipx' ? words[0] : /^(?:dlx|run)$/.test(words[0] ?? '') ? words[1] : undefined;
      return /^(?:git\+|github:|gitlab:|https?:\/\/(?!(?:deno\.land|jsr\.io|esm\.sh)\/))/.test(runs ?? '');
    },
  },
  {
    rule: 'run decoded or generated code',
    aboutInput: true,
    when: (command) => command.runs === 'decoder' || command.runs === 'text-tool' || runsInputOf(command, DECODERS),
  },
  {
    rule: 'open a shell to the network',
    commands: ['nc', 'ncat', 'netcat', 'socat', 'nc.traditional', 'telnet', 'openssl', 'cryptcat'],
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
  {
    rule: 'open a tunnel to this machine',
    commands: ['ssh', 'ngrok', 'cloudflared', 'chisel', 'frpc', 'bore'],
    when: ({ name, args }) =>
      name === 'ssh'
        ? args.some((arg) => /^-[A-Za-z]*R/.test(arg))
        : args.some((arg) => /^(?:tcp|http|tunnel|client|local)$/.test(arg)),
  },
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
  if (!SENDERS.has(name) || command.suspected) return false;
  if (sendsKey(command)) return true;
  if (COPIES.test(name) && sourcesOf(command).some(isKeyFolder) && isRemoteTarget(args.at(-1))) return true;
  if (name === 'ssh' || name === 'rsync' || name === 'aws')
    return fedBy.some((source) => isSecretSource(source, command, facts));
  const uploads = args.some((arg, index) => {
    const path =
      /^(?:[\w.-]+=)?@(.+)$/.exec(arg)?.[1] ??
      (/^(?:-T|--upload-file|--data-binary|-d|--post-file)$/.test(args[index - 1] ?? '')
        ? arg.replace(/^@/, '')
        : (/^--(?:post-file|upload-file|data\w*)=@?(.+)$/.exec(arg)?.[1] ?? ''));
    return PERSONAL.test(path) && !/\s/.test(path);
  });
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
  const hosts = hostsIn(args);
  if (hosts.every(isLocalHost) && hosts.length > 0) return false;
  const atHome = (variable: string) => {
    const [owner = ''] = variable.split('_');
    const own = Object.hasOwn(OWN_HOSTS, owner) ? OWN_HOSTS[owner] : undefined;
    return hosts.some((host) => isUnknown(host) || (own?.test(host) ?? host.includes(owner.toLowerCase())));
  };
  const piped = fedBy
    .filter((source) => /^(?:echo|printf|printenv)$/.test(source.name))
    .flatMap(({ args: said }) => said);
  const found = (text: string, certain: boolean) =>
    secretVariablesIn(text).some(
      (variable) => !atHome(variable) && (certain || (variable.split('_')[0] ?? '') in OWN_HOSTS),
    );
  return (
    args.some((arg, index) => found(arg, !(isAuthOption(args[index - 1] ?? '', arg) || name === 'aws'))) ||
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
      /^(?:\$\w+|\$\{\w+\})(?=[/:?]|$)/.exec(arg)?.[0] ??
      (/^(?:[\w.$-]+\.[a-z]{2,}|localhost)(?:[/:?].*)?$/.test(arg) ? [arg.split(/[/:?]/)[0] ?? ''] : []),
  );
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

function isSecretSource(source: Source, command: ShellCommand, facts: MachineFacts): boolean {
  // Environment variables of a container or another machine count as well.
  if (
    /^(?:docker|podman|kubectl|ssh)$/.test(source.name) &&
    source.args.some((arg) => /^(?:env|printenv)$|\.Config\.Env/.test(arg))
  )
    return true;
  if (PRINTS_ENVIRONMENT.has(source.name)) return source.args.every((arg) => arg.startsWith('-'));
  if (source.args.some((arg) => PERSONAL.test(arg)) && !['ssh', 'curl', 'source', '.', 'grep'].includes(source.name))
    return true;
  return readsSecrets(
    { ...command, name: source.name, args: [...source.args], redirects: [], directory: source.directory },
    facts,
  );
}
