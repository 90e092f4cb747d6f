import { join } from 'node:path';
import type { MachineFacts } from '../files/machine-facts.ts';
import { hostOf, isForeign, isPrivateHost } from '../files/hosts.ts';
import { NETWORK } from '../shell/fetched-files.ts';
import { DECODERS, isInterpreter } from '../shell/script-files.ts';
import { optionValues, type ShellCommand } from '../shell/shell-command.ts';
import { SHELLS } from '../shell/wrappers.ts';
import type { CommandRule } from './rule.ts';

const RULE = 'run downloaded code';

/** Shell built-ins that execute a text as a script. */
const READERS = new Set(['source', '.', 'eval', 'iex', 'Invoke-Expression', 'at', 'batch']);
/** Programs that run the statements on their stdin unless an argument gives others. */
const RUNS_STATEMENTS = /^(?:psql|mysql|mariadb|mongosh|clickhouse-client|gdb|vim|ex|ed)$/;
const GIVES_STATEMENTS = /^(?:-[a-zA-Z]*[cef]|--(?:command|execute|eval|file|query)(?:=.*)?|-ex|-q)$|\s/;

/** Whether a command executes the output of one of the sources, through a pipe, `$(…)` or `<(…)`. */
function runsInputOf(command: ShellCommand, sources: ReadonlySet<string>): boolean {
  const { name, args, fedBy } = command;
  const runs =
    SHELLS.has(name) || isInterpreter(name) || READERS.has(name) || (/^g?make$/.test(name) && readsMakefile(args));
  const fed = fedBy.some((source) => sources.has(source.name));
  if (fed && /^(?:uv|poetry|pipenv|deno|bun|tsx)$/.test(name) && args.at(-1) === '-') return true;
  if (!runs || !fed) return false;
  // An interpreter with its own program reads the text as data: `curl … | python3 -m json.tool`, `| node count.js`.
  if (isInterpreter(name)) return readsProgram(args);
  return !hasScriptFile(name, args);
}

const readsMakefile = (args: readonly string[]) =>
  args.some(
    (arg, index) =>
      /^(?:-f-|--(?:make)?file=-)$|^<\(/.test(arg) ||
      (arg === '-' && /^(?:-f|--file|--makefile)$/.test(args[index - 1] ?? '')),
  );

/** Programs that print a file of another machine or of another branch, whose output a shell runs. */
const FETCHES: Readonly<Record<string, RegExp>> = {
  ssh: /^/,
  aws: /\bs3\b.*\bcp\b/,
  gsutil: /\b(?:cat|cp)\b/,
  gcloud: /\bstorage (?:cat|cp)\b/,
  rclone: /^cat\b/,
  mc: /^cat\b/,
  s3cmd: /^get\b/,
  gh: /^(?:api|gist view|release download)\b/,
  glab: /^(?:api|snippet)\b/,
  git: /\b(?:show|cat-file|archive)\b/,
  redis: /^/,
  'redis-cli': /\bget\b/,
  consul: /^kv get\b/,
  vault: /^(?:kv get|read)\b/,
  etcdctl: /\bget\b/,
  kubectl: /^get (?:cm|configmap|secret)/,
  ipfs: /^cat\b/,
  lftp: /\bcat\b/,
};

/** `aws s3 cp s3://x/y - | sh`. */
function runsPrinted({ name, args, fedBy }: ShellCommand): boolean {
  if (!SHELLS.has(name) || hasScriptFile(name, args)) return false;
  const at = args.findIndex((arg) => /^-[a-z]*c/.test(arg));
  if (at >= 0 && !/^\s*(?:\$\(|`)/.test(args[at + 1] ?? '')) return false;
  return fedBy.some(
    (source) => Object.hasOwn(FETCHES, source.name) && FETCHES[source.name]?.test(source.args.join(' ')) === true,
  );
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

/** `curl … | sed -f -`, `awk "$(curl …)"`, `curl … | psql`. */
function runsFetchedText({ name, args, fedBy, suspected }: ShellCommand): boolean {
  if (suspected || !fedBy.some((source) => NETWORK.has(source.name))) return false;
  // The variables that the text sets can name programs and libraries to load.
  if (/^(?:env|export|declare)$/.test(name)) return args.some((arg) => /^["']?(?:\$\(|`)/.test(arg));
  if (RUNS_STATEMENTS.test(name)) return !args.some((arg) => GIVES_STATEMENTS.test(arg));
  if (!/^(?:g?sed|[gmn]?awk|jq)$/.test(name)) return false;
  return (
    optionValues(args, /^(?:-[a-zA-Z]*f|--(?:file|from-file)=?)(.*)$/).some((file) =>
      /^(?:-|\/dev\/stdin|<\()/.test(file),
    ) ||
    (name !== 'jq' && /^["']?(?:\$\(|`)/.test(args.find((arg) => !/^-./.test(arg)) ?? ''))
  );
}

/**
 * Programs that take packages, scripts, manifests or playbooks from an address: the arguments with which they run what
 * is there, and those with which they install it. The latter need approval only if the host is unusual.
 */
const SOURCES: readonly (readonly [programs: string, runs: RegExp | undefined, installs?: RegExp])[] = [
  [
    'npx pnpx bunx uvx docker-compose nix-shell nix-build cpan jbang groovy scala-cli scala kotlin amm wasmtime wasmer ansible-pull',
    /^/,
  ],
  ['pip pip3', /^(?:install|download|wheel)\b/],
  ['uv', /^(?:run|tool run|pip install|add|tool install)\b/],
  ['pipx', /^(?:run|install|inject|upgrade|runpip)\b/],
  ['poetry pdm rye bundle', /^(?:add|install|self add)\b/],
  ['npm', /^(?:-\S+ )*(?:exec|x|create|init|i|in|ins|install|add|ci|update|up|isntall|install-test|it)\b/],
  ['pnpm yarn', /^(?:-\S+ )*(?:dlx|create|i|install|add|global add|up|upgrade)\b/],
  ['bun', /^(?:x|create|run|https?:|add|a|i|install)\b/],
  ['deno', /^(?:run|install|serve|task|test|bench|compile|https?:)/],
  ['node', /(?:^|\s)(?:--(?:import|require|loader|experimental-loader)[= ]|-r )/],
  ['cargo', /^(?:install|binstall|add)\b/],
  ['gem', /^(?:specific_install|install)\b/],
  ['brew', /^(?:install|reinstall|upgrade)\b/, /^tap\b/],
  ['kubectl oc', undefined, /^(?:-\S+ \S+ )*(?:apply|create|replace)\b/],
  ['helm', undefined, /^(?:install|upgrade|plugin install)\b/],
  ['ansible-playbook cpanm cookiecutter', undefined, /^/],
  ['go', undefined, /^(?:run|install)\b/],
  ['nix', /^(?:run|shell|develop|build|profile (?:install|add)|flake (?:init|new))\b/],
  ['nix-env', /(?:^|\s)-\w*i/],
  ['guix', /^(?:pull|time-machine|install)\b/],
  ['flatpak snap conan nuget ansible-galaxy', undefined, /\binstall\b/],
  ['code codium cursor', undefined, /(?:^|\s)--install-extension\b/],
  ['docker podman', /^(?:-\S+ )*(?:compose\b.*-f |stack deploy\b|(?:kube )?play\b)/, /^(?:buildx )?(?:build|import)\b/],
  ['terraform', /^init\b.*-from-module/],
  ['conda mamba micromamba', /^env (?:create|update)\b/, /^(?:install|create)\b/],
  ['composer', undefined, /^(?:create-project|global require|require|install)\b/],
  ['stack', undefined, /^(?:install|build|script|runghc)\b/],
  ['mvn', undefined, /-DremoteRepositories=|-Dmaven\.repo\.remote=/],
  ['dotnet', /^run\b/, /^(?:tool (?:install|update)|new install|new -i|add)\b/],
  [
    'luarocks opam raco asdf mise pre-commit vagrant',
    undefined,
    /^(?:plugins? )?(?:add|install|pin|pkg install|switch create|box add|init|try-repo)\b/,
  ],
  ['copier', /^copy\b.*--(?:trust|UNSAFE)/, /^copy\b/],
  ['spin', /^up\b/],
  [
    'apt apt-get dnf yum zypper rpm apk pacman installer',
    undefined,
    /(?:^|\s)(?:install|localinstall|add|in|reinstall|upgrade|-U|-i|-ivh|-Uvh|--install)(?:\s|$)/,
  ],
  ['vim nvim', /(?:^|\s)(?:\+|-S |-c )?["']?:?so(?:urce)?\b/],
];
const SOURCE_OF = new Map(SOURCES.flatMap((row) => row[0].split(' ').map((name) => [name, row] as const)));

/** Options whose value is the address of a registry or proxy, which other rules judge. */
const REGISTRY =
  /^(?:-i|-f|--(?:(?:extra-)?index-url|registry|find-links|repo|proxy|index|default-index|username|password|trusted-host|fetch-\w+))$/;
/** Modules of Deno and templates of Nix that are published there under the name of their authors. */
const CURATED = /^(?:https:\/\/(?:deno\.land|jsr\.io|esm\.sh)\/|(?:github|gitlab|sourcehut):NixOS\/)/i;
const ADDRESS = /(?:^|[=@ '"])((?:git\+|git::|hg\+|oci:|s3:|\w+::)?(?:https?|ssh|git|ftp|file|oci):\/\/(?!\/)[^\s'"]+)/;
/** `github:owner/name` and `gh:owner/name`. */
const SHORT = /^(?:--?[\w-]+=)?(?:github|gitlab|bitbucket|gist|sourcehut|gh|gl|bb):[\w.-]+\/?[\w./#-]*$/i;

/** The address from which an argument takes code; undefined if it is none. */
function addressIn(name: string, arg: string): string | undefined {
  const address = ADDRESS.exec(arg)?.[1];
  if (address !== undefined) return address.replace(/^[\w+]+?(?:::|\+)(?=\w+:\/\/)/, '');
  if (/^(?:git\+)?git@[\w.-]+:[\w./~-]+/.test(arg)) return arg.replace(/^.*@(.*?):/, 'https://$1/');
  if (name === 'go') return /^([\w-]+(?:\.[\w-]+)+\/\S+)@\S+$/.exec(arg)?.[1];
  return SHORT.test(arg) ? `https://${arg.replace(/^(?:--?[\w-]+=)?(\w+):/, '$1.com/')}` : undefined;
}

const INSTALLS = /^(?:-\S+ )*(?:i|in|ins|install|isntall|add|a|up|update|upgrade|global add)\b/;

/** `npm install owner/name` takes a repository of GitHub, unless there is a folder of that name. */
function isRepository(name: string, arg: string, directory: string, { disk }: MachineFacts): boolean {
  return (
    /^(?:npm|pnpm|yarn|bun)$/.test(name) && /^[\w-]+\/[\w.-]+(?:#\S*)?$/.test(arg) && !disk.exists(join(directory, arg))
  );
}

/** Packages, scripts, manifests and playbooks that a program takes from an address. */
function takesFromAddress({ name, args, suspected, directory }: ShellCommand, facts: MachineFacts): boolean {
  const row = suspected ? undefined : SOURCE_OF.get(name);
  if (row === undefined) return false;
  const text = args.join(' ').slice(0, 2000);
  const runs = row[1]?.test(text) === true;
  if (!runs && row[2]?.test(text) !== true) return false;
  const isRegistry = (arg: string, index: number) =>
    /^(?:pip3?|uv|npm|pnpm|yarn|bun|helm|poetry|pdm|cargo)$/.test(name) &&
    (REGISTRY.test(args[index - 1] ?? '') || REGISTRY.test(arg.replace(/=.*$/s, '')));
  const takes = (arg: string, index: number) => {
    const address = isRegistry(arg, index) ? undefined : addressIn(name, arg);
    if (address === undefined) return index > 0 && INSTALLS.test(text) && isRepository(name, arg, directory, facts);
    if (CURATED.test(arg) || CURATED.test(address)) return false;
    const isSource =
      /^(?:-s|--(?:source|index|registry))$/.test(args[index - 1] ?? '') || /^--(?:source|index)=/.test(arg);
    return runs && !isSource ? !isPrivateHost(hostOf(address)) || hostOf(address) === '' : isForeign(address);
  };
  return args.some(takes);
}

/** `curl https://… | kubectl apply -f -`. */
function appliesFetched({ args, fedBy, suspected }: ShellCommand): boolean {
  if (suspected || !args.includes('-')) return false;
  return fedBy.some(
    ({ name, args: given }) => /^(?:curl|wget)$/.test(name) && given.some((arg) => /:\/\//.test(arg) && isForeign(arg)),
  );
}

/** Code from the network, however it is started. */
export const DOWNLOADED_CODE_RULES: readonly CommandRule[] = [
  {
    rule: RULE,
    aboutInput: true,
    when: (command) =>
      command.runs === 'network' || runsInputOf(command, NETWORK) || runsPrinted(command) || runsFetchedText(command),
  },
  {
    rule: 'run decoded or generated code',
    aboutInput: true,
    when: (command) => command.runs === 'decoder' || command.runs === 'text-tool' || runsInputOf(command, DECODERS),
  },
  { rule: RULE, when: ({ code }) => code?.runsFetched === true },
  {
    rule: RULE,
    commands: 'kubectl oc docker docker-compose podman nomad psql crontab'.split(' '),
    byArguments: true,
    aboutInput: true,
    when: appliesFetched,
  },
  { rule: RULE, commands: [...SOURCE_OF.keys()], byArguments: true, everydayName: true, when: takesFromAddress },
];
