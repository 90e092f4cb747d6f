import type { Findings } from './judge-command.ts';
import { splitGit } from './shell/git-commands.ts';
import { sedScripts } from './shell/hidden-commands.ts';
import { readSedScript } from './shell/sed-script.ts';
import type { ShellCommand } from './shell/shell-command.ts';
import { parseSubcommand } from './shell/subcommands.ts';
import { SHELLS } from './shell/wrappers.ts';

/** Programs that only read and print. */
const READ_ONLY_PROGRAMS = new Set(
  [
    'ls cat head tail wc echo printf pwd true false which stat du df uname id whoami basename dirname realpath readlink file',
    'grep egrep fgrep zgrep rg ag ack sleep seq cd cut tr comm diff cmp column paste fold nl od hexdump strings jq',
    'date cal uptime free ps pgrep lsof env printenv hostname tree eza test [ type man tldr help sha256sum md5sum sha1sum',
    'cksum zcat bzcat xzcat rev tac expr bc arch groups locale getent lsblk lscpu nproc tput less more look join numfmt : export',
  ].flatMap((line) => line.split(' ')),
);
/** Programs that only read unless one of these options is given. */
const WRITING_OPTIONS: Readonly<Record<string, RegExp>> = {
  find: /^-(?:delete|exec|execdir|ok|okdir|fprint|fprintf|fprint0|fls)/,
  fd: /^(?:-[xX]|--exec)/,
  sed: /^(?:-[a-zA-Z]*[if]|--(?:in-place|file))/,
  sort: /^(?:-[a-zA-Z]*o|--o)/,
  awk: /system|[|>]|getline|^-[fiEl]|^--(?:file|include|exec|load)/,
  yq: /^(?:-[a-zA-Z]*[is]|--in-?place|--split)/,
  tar: /^(?:-?[a-zA-Z]*[xcru]|--(?:extract|create|append|update|get|delete))/,
  unzip: /^(?!-[lZtv])/,
  rg: /^--pre/,
  env: /^[^-=]+$/,
  date: /^(?:-[a-zA-Z]*s|--set|\d{8,}(?:\.\d\d)?$)/,
  file: /^(?:-[a-zA-Z]*C|--compile)/,
  // These variables determine which program a later command runs.
  export: /^(?:PATH|ENV|BASH_ENV|LD_\w+)=/,
  hostname: /^[^-]/,
  tree: /^-[a-zA-Z]*o/,
  less: /^(?:-[oO]|--log-file)/i,
  diff: /^--output/,
};
/** Subcommands that only read. */
const READ_ONLY_SUBCOMMANDS: Readonly<Record<string, RegExp>> = {
  git: /^(?:status|log|diff|show|blame|grep|ls-files|ls-tree|ls-remote|rev-parse|rev-list|describe|shortlog|cat-file|merge-base|name-rev|for-each-ref|count-objects|whatchanged|var|check-ignore)$/,
  npm: /^(?:ls|list|view|info|outdated|why|explain|root|bin|prefix|ping|search|audit)$/,
  docker: /^(?:ps|images|logs|inspect|version|info|top|stats|diff|history|port)$/,
  kubectl: /^(?:get|describe|logs|version|explain|api-resources|top|cluster-info)$/,
  gh: /^(?:status|search)$/,
  cargo: /^(?:tree|metadata|search|version)$/,
  go: /^(?:list|version|env|doc|vet)$/,
  pip: /^(?:list|show|freeze|check)$/,
  systemctl: /^(?:status|show|list-units|list-unit-files|is-active|is-enabled|cat)$/,
  terraform: /^(?:show|version|providers|output|validate)$/,
};
const CHANGES = /^--(?:output|ext-diff|open-files|fix|force)/;
/** Arguments that make one of the subcommands above change or run something. */
const CHANGES_OF: Readonly<Record<string, RegExp>> = { npm: /^fix$/, go: /^--?(?:[wu]$|vettool|toolexec)/ };
/** Wrappers that change nothing themselves; the command they run is judged separately. */
const WRAPS = new Set(['time', 'timeout', 'nice', 'command', 'builtin', 'xargs', 'stdbuf']);
const SYSTEM_FOLDER = /^(?:\/usr(?:\/local)?)?\/s?bin\/[^/]+$/;

/** The part of a command line that could change something; undefined if all of it only reads. */
export function findChange({ findings, commands }: Findings): string | undefined {
  const found = findings[0]?.reason;
  if (found !== undefined) return found.matched;
  return commands.find((command) => !onlyReads(command))?.source;
}

function onlyReads(command: ShellCommand): boolean {
  const { name, args } = command;
  if (writes(command) || command.computedName || command.remote !== undefined) return false;
  if (mayBeAnotherProgram(command)) return false;
  if (SHELLS.has(name)) return readsText(args);
  if (name === '' || (READ_ONLY_PROGRAMS.has(name) && !Object.hasOwn(WRITING_OPTIONS, name))) return true;
  if (args.length > 0 && args.every((arg) => /^(?:--version|-V|--help|-h|-v|version)$/.test(arg))) return true;
  // For these programs the second file operand is an output file.
  if (name === 'uniq' || name === 'xxd') return args.filter((arg) => !arg.startsWith('-')).length < 2;
  const unless = Object.hasOwn(WRITING_OPTIONS, name) ? WRITING_OPTIONS[name] : undefined;
  if (unless !== undefined) return !args.some((arg) => unless.test(arg)) && !(name === 'sed' && scriptWrites(args));
  const verbs = Object.hasOwn(READ_ONLY_SUBCOMMANDS, name) ? READ_ONLY_SUBCOMMANDS[name] : undefined;
  if (verbs === undefined) return WRAPS.has(name);
  if (name === 'git') return gitReads(verbs, args);
  const { words, ambiguous } = parseSubcommand(name, args);
  return (
    !ambiguous && verbs.test(words[0] ?? '') && !args.some((arg) => CHANGES.test(arg) || CHANGES_OF[name]?.test(arg))
  );
}

function gitReads(verbs: RegExp, args: readonly string[]): boolean {
  const { command: verb, rest, ambiguous } = splitGit(args);
  if (ambiguous) return false;
  return (verbs.test(verb) && !rest.some((arg) => CHANGES.test(arg))) || listsOnly(verb, rest);
}

/** For a shell only the argument of `-c` can be checked: a file or a pipe may contain anything. */
function readsText(args: readonly string[]): boolean {
  return args.some((arg) => /^-[a-zA-Z]*c$/.test(arg)) && !args.some((arg) => /^--(?:rc|init-)file/.test(arg));
}

/**
 * Whether the command may be a different program than its name suggests: a path outside the system folders, or a
 * modified `PATH`.
 */
function mayBeAnotherProgram({ name, statement, variables }: ShellCommand): boolean {
  if (variables.some((variable) => /^(?:PATH|ENV|BASH_ENV|LD_\w+)=/.test(variable))) return true;
  return statement.split(/[\s'"]+/).some((word) => word.endsWith(`/${name}`) && !SYSTEM_FOLDER.test(word));
}

function scriptWrites(args: readonly string[]): boolean {
  return sedScripts(args).some((script) => readSedScript(script).written.some((file) => !file.startsWith('/dev/std')));
}

/** `git branch`, `git tag`, `git remote -v` and `git stash list` only list if no new name is given. */
function listsOnly(verb: string, rest: readonly string[]): boolean {
  if (verb === 'stash') return rest[0] === 'list' || rest[0] === 'show';
  if (verb === 'config') return rest.some((arg) => /^--(?:get|list|get-all)|^-l$/.test(arg));
  const lists = ['branch', 'tag', 'remote', 'worktree'].includes(verb);
  return (
    lists &&
    rest.every((arg) =>
      /^(?:-[avrl]+|--(?:list|all|verbose|show-current|merged|no-merged|contains)|list|show)$/.test(arg),
    )
  );
}

function writes({ redirects }: ShellCommand): boolean {
  return redirects.some(
    ({ operator, target }) => operator.includes('>') && !/^(?:\/dev\/(?:null|stdout|stderr)|\d+|-)$/.test(target),
  );
}
