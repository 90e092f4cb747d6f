import { optionValues } from './shell-command.ts';

const SSH = /^-[oS](.*)$/;
const COMMAND = /^(?:-c|--command=?)(.*)$/;

/** Options whose value is a command, by program. */
const COMMAND_OPTIONS: Readonly<Record<string, RegExp>> = {
  tar: /^(?:-I|--(?:to-command|use-compress-program|rsh-command|info-script|new-volume-script|checkpoint-action)=?)(.*)$/,
  bsdtar: /^--use-compress-program=?(.*)$/,
  gtar: /^(?:-I|--(?:to-command|use-compress-program|checkpoint-action)=?)(.*)$/,
  rsync: /^(?:-[a-zA-Z]*e|--(?:rsh|rsync-path)=?)(.*)$/,
  rg: /^--(?:pre|hostname-bin)=?(.*)$/,
  man: /^(?:-[PH]|--(?:pager|html)=?)(.*)$/,
  split: /^--filter=?(.*)$/,
  sort: /^--compress-program=?(.*)$/,
  zip: /^(?:-TT|--unzip-command=?)(.*)$/,
  tcpdump: /^-z(.*)$/,
  ncat: /^(?:-[ec]|--(?:sh-)?exec=?)(.*)$/,
  nodemon: /^(?:-x|--exec=?)(.*)$/,
  chokidar: COMMAND,
  npx: /^(?:-c|--call=?)(.*)$/,
  npm: /^(?:-c|--call=?)(.*)$/,
  nix: COMMAND,
  fly: /^(?:-C|--command=?)(.*)$/,
  flyctl: /^(?:-C|--command=?)(.*)$/,
  gcloud: /^--command=?(.*)$/,
  aws: /^--(?:command|parameters)=?(?:commands=)?(.*)$/,
  az: /^--(?:exec-command|scripts|command)=?(.*)$/,
  doctl: /^--ssh-command=?(.*)$/,
  eb: COMMAND,
  copilot: COMMAND,
  virtctl: COMMAND,
  vagrant: COMMAND,
  cf: COMMAND,
  bosh: COMMAND,
  mussh: COMMAND,
  orgalorg: /^(?:-C|--)(.*)$/,
  ansible: /^(?:-a|--args=?)(.*)$/,
  cargo: /^-x(.*)$/,
  'cargo-watch': /^-[xs](.*)$/,
  expect: /^-c(.*)$/,
  go: /^-{1,2}(?:toolexec|exec|vettool)=?(.*)$/,
  fzf: /^--(?:preview|execute)=?(.*)$/,
  aria2c: /^--on-[\w-]+=?(.*)$/,
  xterm: /^-e(.*)$/,
  mutt: /^-e(.*)$/,
  wget: /^--use-askpass=?(.*)$/,
  make: /^--eval=?(.*)$/,
  entr: /^-s(.*)$/,
  logrotate: /^--mail=?(.*)$/,
  hg: /^--config=?(.*)$/,
  cvs: /^-e(.*)$/,
  svn: /^--(?:editor-cmd|diff-cmd|diff3-cmd)=?(.*)$/,
  docker: /^--health-cmd=?(.*)$/,
  ctags: /^--_?run=?(.*)$/,
  ssh: SSH,
  scp: SSH,
  sftp: SSH,
  sshfs: SSH,
  mosh: /^--ssh=?(.*)$/,
};

/** The prefix before the command in an option value: `exec=…`, `ProxyCommand=…`, `set shell=…`. */
const COMMAND_PREFIX =
  /^(?:exec=|(?:ProxyCommand|LocalCommand|KnownHostsCommand)[=\s]|shell\s|!|spawn\s|cmd=|set (?:shell|sendmail|editor)=|(?:alias|hooks)\.[\w.-]+=!?)/i;

/** The commands in the option values of a program. */
export function commandsInOptions(name: string, args: readonly string[]): string[] {
  const option = Object.hasOwn(COMMAND_OPTIONS, name) ? COMMAND_OPTIONS[name] : undefined;
  if (option === undefined) return [];
  const asRoot = name === 'ansible' && args.some((arg) => /^(?:-[a-zA-Z]*b|--become)$/.test(arg)) ? 'sudo ' : '';
  return optionValues(args, option).map((value) => `${asRoot}${commandIn(value)}`);
}

/** Removes the prefix; empty if the value is another option or a setting that is not a command. */
function commandIn(value: string): string {
  if (/^(?:-\w|[A-Z]\w+[= ])/.test(value) && !COMMAND_PREFIX.test(value)) return '';
  return value.replace(COMMAND_PREFIX, '').replace(/^"(.*)"$/s, '$1');
}

/** Environment variables whose value other programs run as a command. */
const COMMAND_VARIABLES =
  /^(?:GIT_(?:SSH|SSH_COMMAND|EXTERNAL_DIFF|PROXY_COMMAND)|(?:[A-Z]+_?)?(?:PAGER|EDITOR|ASKPASS|SHELL)|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|FCEDIT|(?:RSYNC|CVS)_RSH|SVN_SSH|TAR_OPTIONS|MAKEFLAGS|(?:CARGO_BUILD_)?RUSTC(?:_WORKSPACE)?(?:_WRAPPER)?|FZF_\w+_(?:COMMAND|OPTS)|npm_config_(?:script_shell|editor)|NPM_CONFIG_SCRIPT_SHELL|CC|CXX|GOFLAGS)$/;

/** The command in a variable that other programs run; undefined for other variables. */
export function commandInVariable(name: string, value: string): string | undefined {
  return COMMAND_VARIABLES.test(name)
    ? value.replace(/^(?:\|+-?\s*|-(?:toolexec|exec)=)/, '').replace(/^["'](.*)["']$/, '$1')
    : undefined;
}
