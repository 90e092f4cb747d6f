import { gitCommands } from './git-commands.ts';
import { readSedScript } from './sed-script.ts';
import { optionValues } from './shell-command.ts';
import type { Inner } from './unwrap.ts';

const script = (text: string): Inner => ({ script: text });

/** Options whose value is a command, by program. */
const COMMAND_OPTIONS: Readonly<Record<string, RegExp>> = {
  tar: /^(?:-I|--(?:to-command|use-compress-program|rsh-command|info-script|new-volume-script|checkpoint-action)=?)(.*)$/,
  bsdtar: /^--use-compress-program=?(.*)$/,
  gtar: /^(?:-I|--(?:to-command|use-compress-program|checkpoint-action)=?)(.*)$/,
  rsync: /^(?:-[a-zA-Z]*e|--(?:rsh|rsync-path)=?)(.*)$/,
  scp: /^-S(.*)$/,
  rg: /^--(?:pre|hostname-bin)=?(.*)$/,
  man: /^(?:-[PH]|--(?:pager|html)=?)(.*)$/,
  split: /^--filter=?(.*)$/,
  sort: /^--compress-program=?(.*)$/,
  zip: /^(?:-TT|--unzip-command=?)(.*)$/,
  tcpdump: /^-z(.*)$/,
  ncat: /^(?:-[ec]|--(?:sh-)?exec=?)(.*)$/,
  nodemon: /^(?:-x|--exec=?)(.*)$/,
  chokidar: /^(?:-c|--command=?)(.*)$/,
  npx: /^(?:-c|--call=?)(.*)$/,
  npm: /^(?:-c|--call=?)(.*)$/,
  nix: /^(?:-c|--command=?)(.*)$/,
  gcloud: /^--command=?(.*)$/,
  ansible: /^(?:-a|--args=?)(.*)$/,
  cargo: /^-x(.*)$/,
  'cargo-watch': /^-[xs](.*)$/,
  gdb: /^(?:-ex|--eval-command=?)(.*)$/,
  expect: /^-c(.*)$/,
  ctags: /^--_?run=?(.*)$/,
  pssh: /^-i(.*)$/,
  ssh: /^-o(.*)$/,
};

/** Each word of them is a script: `concurrently "npm:a" "npm b"`. */
const ALL_ARE_SCRIPTS = new Set(['concurrently', 'npm-run-all', 'run-p', 'run-s', 'mprocs', 'hyperfine']);

/** Commands that hide in the arguments of programs which are there for something else. */
export function hiddenCommands(name: string, args: readonly string[], input: string | undefined): Inner[] {
  const option = Object.hasOwn(COMMAND_OPTIONS, name) ? COMMAND_OPTIONS[name] : undefined;
  const fromOptions = option === undefined ? [] : optionValues(args, option).map((value) => script(commandIn(value)));
  return [...fromOptions, ...ownWays(name, args, input)];
}

/** Takes off what stands in front of the command in a value: `exec=…`, `ProxyCommand=…`, `shell …`. */
function commandIn(value: string): string {
  if (/^(?:-\w|[A-Z]\w+=)/.test(value) && !/^(?:ProxyCommand|LocalCommand|KnownHostsCommand)/i.test(value)) return '';
  return value.replace(/^(?:exec=|(?:ProxyCommand|LocalCommand|KnownHostsCommand)[=\s]|shell\s|!|spawn\s|cmd=)/i, '');
}

function ownWays(name: string, args: readonly string[], input: string | undefined): Inner[] {
  switch (name) {
    case 'git':
      return gitCommands(args);
    case 'sed':
    case 'gsed':
      return sedScripts(args).flatMap((text) => readSedScript(text).scripts.map(script));
    case 'vim':
    case 'vi':
    case 'nvim':
    case 'ex':
    case 'view':
    case 'ed':
      return [...args, ...(input?.split('\n') ?? [])].flatMap((arg) => editorCommand(arg).map(script));
    case 'less':
    case 'more':
      return args.filter((arg) => arg.startsWith('+!')).map((arg) => script(arg.slice(2)));
    case 'make':
    case 'gmake':
      return makeScripts(args, input);
    case 'tmux':
    case 'screen':
      return lastWords(name, args);
    case 'sqlite3':
    case 'psql':
    case 'mysql':
    case 'mariadb':
      return [...args, ...(input?.split('\n') ?? [])].flatMap((text) => clientCommand(text).map(script));
    case 'socat':
      return args.flatMap((arg) => /\b(?:EXEC|SYSTEM):"?([^",]+)/i.exec(arg)?.[1] ?? []).map(script);
    default:
      return ALL_ARE_SCRIPTS.has(name) ? args.filter((arg) => /\s/.test(arg)).map(script) : [];
  }
}

/** The scripts of a sed: behind -e, or the first operand where there is no -e and no -f. */
export function sedScripts(args: readonly string[]): string[] {
  const given = optionValues(args, /^(?:-[nrEsuz]*e|--expression=?)(.*)$/);
  if (given.length > 0 || args.some((arg) => /^(?:-[nrEs]*f|--file)/.test(arg))) return given;
  return args.filter((arg) => !/^-./.test(arg)).slice(0, 1);
}

/** `:!cmd`, `:r !cmd`, `:w !cmd` and `system('cmd')` of the vi family. */
function editorCommand(arg: string): string[] {
  const bang = /^\+?:?\s*(?:%|\d+,?\d*)?\s*(?:(?:silent|sil|r|read|w|write|term|terminal)\b!?\s*)*!(.+)$/.exec(
    arg,
  )?.[1];
  const called = /\bsystem(?:list)?\(\s*(['"])(.+?)\1/.exec(arg)?.[2];
  return [bang, called].filter((text) => text !== undefined);
}

/** `.shell cmd` of sqlite3, `\! cmd` of psql and mysql. */
function clientCommand(text: string): string[] {
  const found = /(?:^|\n)\s*(?:\.(?:shell|system)\s+|\\!\s*|system\s+)(.+)/.exec(text)?.[1];
  return found === undefined ? [] : [found];
}

/** Recipes on standard input, `$(shell …)` in `--eval`, and a shell of one's own. */
function makeScripts(args: readonly string[], input: string | undefined): Inner[] {
  const readsInput = optionValues(args, /^(?:-f|--file=?|--makefile=?)(.*)$/).some(
    (file) => file === '-' || file === '/dev/stdin',
  );
  const text = readsInput ? (input ?? '') : '';
  const recipes = text.split('\n').flatMap((line) => /^\t[@+-]*(.*)$/.exec(line)?.[1] ?? []);
  const evaluated = [...args, text].flatMap((arg) =>
    [...arg.matchAll(/\$\(shell\s+([^)]*)\)/g)].map((found) => found[1] ?? ''),
  );
  return [...recipes, ...evaluated].map(script);
}

const TERMINAL_VALUES = /^-[A-Za-z]*[cFnstxySTh]$/;

/** What a terminal multiplexer runs in a new window: one text, or the words behind its own. */
function lastWords(name: string, args: readonly string[]): Inner[] {
  if (
    name === 'tmux' &&
    !args.some((arg) =>
      /^(?:new|neww|new-session|new-window|split|splitw|split-window|run|run-shell|respawn-pane|send|send-keys|send-key)$/.test(
        arg,
      ),
    )
  )
    return [];
  const rest = args.filter((arg, index) => !arg.startsWith('-') && !TERMINAL_VALUES.test(args[index - 1] ?? ''));
  const words = name === 'tmux' ? rest.slice(1) : rest;
  if (words.some((word) => /\s/.test(word))) return words.filter((word) => /\s/.test(word)).map(script);
  return words.length === 0 ? [] : [{ words }];
}

/** Variables that other programs run as commands. */
const COMMAND_VARIABLES =
  /^(?:GIT_(?:SSH|SSH_COMMAND|PAGER|EDITOR|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|(?:MAN|SYSTEMD_)?PAGER|EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|SSH_ASKPASS|SUDO_ASKPASS|FCEDIT|RSYNC_RSH|TAR_OPTIONS|MAKEFLAGS)$/;

/** The command in an assignment that some program will run. */
export function commandInVariable(name: string, value: string): string | undefined {
  return COMMAND_VARIABLES.test(name) ? value.replace(/^\|+-?\s*/, '') : undefined;
}
