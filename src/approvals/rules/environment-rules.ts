import { mayShowSecret, SECRET_RULE } from '../files/secrets.ts';
import { ANY_VARIABLE } from '../shell/expansions.ts';
import { isInterpreter } from '../shell/script-files.ts';
import { optionValues, type ShellCommand, type Source, splitArguments } from '../shell/shell-command.ts';
import { isComputed } from '../shell/words.ts';
import type { CommandRule } from './rule.ts';

const words = (text: string) => text.split(' ');

/** Programs that print their input, their arguments or a file that contains them. */
const PRINTERS: ReadonlySet<string> = new Set([
  ...words('echo printf print cat tac nl head tail less more most bat grep egrep fgrep rg ag sed gsed awk gawk mawk'),
  ...words('sort uniq cut tr rev base64 base32 basenc xxd od hexdump hd tee sponge column fold fmt paste jq yq gojq'),
  ...words('strings iconv shuf pr expand split gzip zstd xz bzip2 openssl gpg age dd figlet cowsay toilet banner'),
  ...words('say notify-send logger wall write xclip xsel pbcopy wl-copy clip clip.exe xmessage zenity touch mkdir'),
  ...words('read while for sudo xargs parallel env time nice script ts pv sh bash zsh dash stdbuf unbuffer envsubst'),
  ...words('comm diff join look dialog whiptail qrencode osascript espeak espeak-ng festival spd-say wormhole'),
]);
/** Programs that print or publish a message given in their arguments. */
const MESSAGE =
  /^(?:git (?:commit|tag|notes|stash|merge)|gh (?:issue|pr|gist|release|workflow)|glab (?:issue|mr|snippet)|slack \w+)$/;

/** Subcommands that publish their input or their arguments. */
const PUBLISHES =
  /^(?:gh (?:gist|issue|pr|release|api|workflow)|glab (?:snippet|issue|mr|release|api)|slack \w+|jira \w+|linear \w+)$/;

const passesOn = ({ name, args }: Source) =>
  PRINTERS.has(name) || isInterpreter(name) || PUBLISHES.test(`${name} ${args[0] ?? ''}`);

/** Whether the output of a command reaches the user, the model, a file or everyone. */
export function isShown({ silent, consumers }: ShellCommand): boolean {
  return !silent && consumers.every((stage) => stage.every(passesOn));
}

/** Words that occur in the names of variables without secrets. */
const PLAIN_WORD = new RegExp(
  `^(?:${[
    'path home pwd oldpwd user username logname shell term terminal lang language lc locale tz timezone display',
    'wayland xdg editor visual pager node npm npx nvm fnm volta yarn pnpm bun deno python py pyenv virtual virtualenv',
    'venv conda java jdk jvm jre go gopath goroot gobin cargo rustup rust rustc rbenv ruby rvm gem bundle php perl lua',
    'ci debug verbose log level port host hostname proxy http https no color colorterm cc cxx cflags ldflags ld',
    'library pkg config android gradle maven sdk dotnet cuda gpu nvidia omp threads nproc cpu arch os ostype machtype',
    'tmux wsl vscode code ps1 ps4 histsize shlvl columns lines tmpdir temp tmp dir root prefix version mode stage',
    'region profile name env environment branch workspace kubeconfig editor manpath infopath mail sock pid uid gid',
    'jest vitest test vite next public react app flask django rails rack build make cmake makeflags desktop session',
    'gdm gtk qt dbus systemd invocation ssh_auth_sock windowid',
  ]
    .flatMap(words)
    .join('|')})$`,
  'i',
);

/** Words in a search of the settings of PHP that would find a key. */
const SECRET_SEARCH = /key|token|secret|pass|auth|cred|env|^\W*$/i;

/** Whether a stage of the pipeline reduces a dump to names, to a count, or to variables without secrets. */
function narrows({ name, args }: Source): boolean {
  const text = args.join(' ');
  switch (name) {
    case 'wc':
    case 'md5sum':
    case 'sha256sum':
      return true;
    case 'cut':
      return /(?:^|\s)-d ?=/.test(text) && /(?:^|\s)-f ?1(?:\s|$)/.test(text);
    case 'sed':
      return /^(?:-E )?s(.)=\.\*\1\1g?$/.test(text);
    case 'awk':
    case 'gawk':
      return /^-F ?=/.test(text) && /^[^$]*\$1[^$]*$/.test(text);
    case 'grep':
    case 'egrep':
    case 'rg':
      return matchesPlainNames(args);
    default:
      return false;
  }
}

function matchesPlainNames(args: readonly string[]): boolean {
  const { options, operands } = splitArguments(args);
  if (['c', 'q', 'count', 'quiet'].some((option) => options.has(option))) return true;
  if (['v', 'A', 'B', 'C', 'f', 'invert-match'].some((option) => options.has(option))) return false;
  const given = optionValues(args, /^(?:-[a-zA-Z]*e|--regexp=?)(.*)$/);
  const patterns = given.length > 0 ? given : operands.slice(0, 1);
  return patterns.length > 0 && patterns.every((pattern) => pattern.split(/\\?\|/).every(isPlainName));
}

/** `^NODE_`, `AWS_REGION=`: all parts of the name are plain, or its last one says what it is. */
function isPlainName(pattern: string): boolean {
  const parts = pattern
    .replace(/^[\^("']+|[$)"'=.*]+$/g, '')
    .split('_')
    .filter((part) => part !== '');
  if (parts.length === 0 || mayShowSecret(parts.join('_').toUpperCase())) return false;
  return parts.every((part) => PLAIN_WORD.test(part)) || (parts.length > 1 && PLAIN_WORD.test(parts.at(-1) ?? ''));
}

/** Commands that print all variables, by name: `args` are those without operands. */
const DUMPS: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  env: dumpsEnv,
  printenv: (args) => args.every((arg) => arg.startsWith('-') && !/^--(?:help|version)$/.test(arg)),
  set: (args) => args.length === 0,
  export: (args) => args.every((arg) => arg === '-p'),
  declare: dumpsDeclared,
  typeset: dumpsDeclared,
  tmux: (args) => /^(?:show-environment|showenv)$/.test(args[0] ?? '') && args.slice(1).every(isOption),
  systemctl: (args) =>
    args.includes('show-environment') ||
    (args.includes('show') && args.some((arg) => /^(?:-p|--property=?)?(?:\w+,)*Environment(?:,\w+)*$/.test(arg))),
  cmake: (args) => args[0] === '-E' && args[1] === 'environment',
  gdb: (args) => args.some((arg) => /^\s*show env\w*\s*$/.test(arg)),
  php: (args) => args.some((arg) => /^(?:-i|--info)$/.test(arg)),
  php8: (args) => args.includes('-i'),
};

const isOption = (arg: string) => arg.startsWith('-');

function dumpsEnv(args: readonly string[]): boolean {
  if (args.some((arg) => /^(?:-i|-|--ignore-environment|--help|--version|-[a-zA-Z]*S.*|--split-string.*)$/.test(arg)))
    return false;
  return args.every((arg, index) => /^-|^[A-Za-z_]\w*=/.test(arg) || /^-[uC]$/.test(args[index - 1] ?? ''));
}

function dumpsDeclared(args: readonly string[]): boolean {
  return args.every((arg) => /^-[pxgt]*$/.test(arg));
}

/** An image prints only what it contains; a running container also prints what it was given. */
function isFreshContainer({ remote, statement, args }: ShellCommand): boolean {
  return (
    remote === 'container' &&
    /^\S+ (?:container )?run\b/.test(statement) &&
    !/\s(?:-e|--env|--env-file)\b/.test(statement) &&
    args.length < 2
  );
}

function dumpsEnvironment(command: ShellCommand): boolean {
  const { name, args, suspected } = command;
  if (suspected || !Object.hasOwn(DUMPS, name) || DUMPS[name]?.(args) !== true) return false;
  const searches = ({ name: program, args: given }: Source) =>
    name.startsWith('php') && program.endsWith('grep') && !SECRET_SEARCH.test(splitArguments(given).operands[0] ?? '');
  const reduced = command.consumers.some((stage) => stage.some((one) => narrows(one) || searches(one)));
  return isShown(command) && !reduced && !isFreshContainer(command);
}

/** Commands that print the variables in their arguments. */
const NAMED: Readonly<Record<string, (args: readonly string[]) => readonly string[]>> = {
  printenv: (args) => args.map((arg) => (isComputed(arg) ? ANY_VARIABLE : arg)),
  declare: namesDeclared,
  typeset: namesDeclared,
  export: (args) => (args.includes('-p') ? args : []),
  make: variablesInMakefile,
  gmake: variablesInMakefile,
  launchctl: (args) => (args[0] === 'getenv' ? args.slice(1) : []),
  tmux: (args) => (/^(?:show-environment|showenv)$/.test(args[0] ?? '') ? args.slice(1) : []),
  envsubst: (args) => args.flatMap((arg) => [...arg.matchAll(/\$\{?(\w+)/g)].map((found) => found[1] ?? '')),
  vim: variablesInEditor,
  vi: variablesInEditor,
  nvim: variablesInEditor,
  ex: variablesInEditor,
  gomplate: (args) =>
    args.flatMap((arg) =>
      [...arg.matchAll(/\.Env\.(\w+)|getenv\s+["'](\w+)/gi)].map((found) => found[1] ?? found[2] ?? ''),
    ),
  jq: variablesInFilter,
  gojq: variablesInFilter,
  jaq: variablesInFilter,
  yq: variablesInFilter,
};

/** `declare -p NAME`, and `declare -n reference=NAME`, whose value is that of the other variable. */
function namesDeclared(args: readonly string[]): string[] {
  const shows = args.some((arg) => /^-[a-zA-Z]*p/.test(arg));
  const refers = args.some((arg) => /^-[a-zA-Z]*n/.test(arg));
  return args.flatMap((arg) => (shows ? [arg] : refers ? [arg.slice(arg.indexOf('=') + 1)] : []));
}

/** `$(info $(NAME))`, with which make prints a variable while it reads the makefile. */
function variablesInMakefile(args: readonly string[]): string[] {
  return args.flatMap((arg) =>
    [...arg.matchAll(/\$[({](?:info|warning|error)\s[^\n]*?\$[({](\w+)[)}]/g)].map((found) => found[1] ?? ''),
  );
}

/** `:echo $NAME`, `vim.env.NAME`. */
function variablesInEditor(args: readonly string[]): string[] {
  return args.flatMap((arg) =>
    [...arg.matchAll(/\$([A-Z_]\w*)|vim\.env\.(\w+)|getenv\(['"](\w+)/g)].map(
      (found) => found[1] ?? found[2] ?? found[3] ?? '',
    ),
  );
}

/** `env`, `env.NAME`, `$ENV`, `$ENV["NAME"]` and `strenv(NAME)` in a filter. */
function variablesInFilter(args: readonly string[]): string[] {
  const operands = args.filter(
    (arg, index) =>
      !isOption(arg) &&
      !/^--(?:arg|argjson|slurpfile|rawfile|indent)$/.test(args[index - 1] ?? '') &&
      !/^--(?:arg|argjson|slurpfile|rawfile)$/.test(args[index - 2] ?? ''),
  );
  return operands
    .slice(0, /^e(?:val)?(?:-all)?$/.test(operands[0] ?? '') ? 2 : 1)
    .filter((filter) => /env/i.test(filter) && !/^[\w./-]+\.(?:json|ya?ml)$/.test(filter))
    .map((filter) => filter.replace(/(?<!\[\s*)"(?:[^"\\]|\\[^(])*"/g, '""'))
    .flatMap((filter) =>
      [
        ...filter.matchAll(
          /(?:\$ENV|(?<![\w.$"-])(?:str)?env)(?![\w:"/-]|\s*:)(?:\s*\.?\s*[[(.]?\s*"?([A-Za-z_]\w*)"?)?/g,
        ),
      ].map((found) => found[1] ?? ANY_VARIABLE),
    );
}

function showsNamedVariable(command: ShellCommand): boolean {
  const { name, args, suspected, input } = command;
  if (suspected || !Object.hasOwn(NAMED, name)) return false;
  const named =
    NAMED[name]?.(/^(?:envsubst|g?make)$/.test(name) && input !== undefined ? [...args, input] : args) ?? [];
  return named.some((one) => one === ANY_VARIABLE || mayShowSecret(one)) && isShown(command);
}

const isSecret = (name: string) => name === ANY_VARIABLE || mayShowSecret(name);
const QUIET_SEARCH = /^-[a-zA-Z]*[qlLc][a-zA-Z]*$|^--(?:quiet|count|files-with\S*)$/;

/** Whether a command prints the value of a secret variable, or writes it to a file. */
function showsVariable(command: ShellCommand): boolean {
  const { name, args, expands, suspected } = command;
  if (expands.length === 0 || suspected || !expands.some(isSecret) || !isShown(command)) return false;
  if (/^(?:[ef]?grep|rg|ag)$/.test(name) && args.some((arg) => QUIET_SEARCH.test(arg))) return false;
  if (isInterpreter(name))
    return /\b(?:print|console\.|puts|echo|write|say|log)\b/.test(`${args.join(' ')}\n${command.input ?? ''}`);
  // The key of an encryption program is used, not printed.
  if (/^(?:openssl|gpg|age|sh|bash|zsh|dash|sudo|env|xargs|parallel|time|nice)$/.test(name))
    return command.input !== undefined && /^(?:openssl|gpg|age)$/.test(name);
  if (name === 'gh' && args[0] === 'api') return args.some((arg) => /^(?:-[fF]|--(?:raw-)?field|--input)/.test(arg));
  return PRINTERS.has(name) || MESSAGE.test(`${name} ${args[0] ?? ''}`);
}

const ECHO = /^(?:echo|printf|print|tee|cat)$/;

/** `x=$(env); echo "$x"`: the dump is printed later. */
function printsDump(command: ShellCommand): boolean {
  const { name, fedBy, suspected } = command;
  if (suspected || fedBy.length === 0 || !ECHO.test(name) || fedBy.some(narrows)) return false;
  const dumps = ({ name: program, args }: Source) =>
    (Object.hasOwn(DUMPS, program) && DUMPS[program]?.(args) === true) ||
    (program === 'printenv' && args.some(mayShowSecret));
  return fedBy.some(dumps) && isShown(command);
}

/** Commands that print environment variables: the model and everyone who reads the session would see the keys. */
export const ENVIRONMENT_RULES: readonly CommandRule[] = [
  // `some-cli ssh -- printenv`: the variables of another machine.
  {
    rule: SECRET_RULE,
    when: (command) =>
      command.args.at(-2) === '--' &&
      /^(?:printenv|env)$/.test(command.args.at(-1) ?? '') &&
      isShown(command) &&
      !command.consumers.some((stage) => stage.some(narrows)),
  },
  { rule: SECRET_RULE, aboutInput: true, when: dumpsEnvironment },
  { rule: SECRET_RULE, aboutInput: true, when: printsDump },
  { rule: SECRET_RULE, when: showsNamedVariable },
  { rule: SECRET_RULE, when: showsVariable },
];
