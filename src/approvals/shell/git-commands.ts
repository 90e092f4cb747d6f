import { optionValues } from './shell-command.ts';
import type { InnerCommand } from './unwrap.ts';

/** Global git options that take the next word as their value. */
const GLOBAL_VALUES = new Set(
  '-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix'.split(' '),
);

const GLOBAL_FLAGS =
  /^(?:--[\w-]+=.*|-[pPvh]|--(?:paginate|no-pager|bare|no-replace-objects|no-lazy-fetch|no-optional-locks|no-advice|(?:literal|glob|noglob|icase)-pathspecs|version|help|html-path|man-path|info-path|exec-path))$/;

type GitWords = {
  command: string;
  rest: string[];
  settings: string[];
  /** An unknown option precedes the subcommand, so the subcommand may be the value of that option. */
  ambiguous: boolean;
};

/** Splits git arguments into the subcommand and the rest: `git -C x push --force` gives `push` and `--force`. */
export function splitGit(args: readonly string[]): GitWords {
  const settings: string[] = [];
  let doubtful = false;
  let at = 0;
  for (; at < args.length && (args[at] ?? '').startsWith('-'); at += 1) {
    const option = args[at] ?? '';
    if (option === '-c') settings.push(args[at + 1] ?? '');
    if (GLOBAL_VALUES.has(option)) at += 1;
    else doubtful ||= !GLOBAL_FLAGS.test(option);
  }
  return { command: args[at] ?? '', rest: args.slice(at + 1), settings, ambiguous: doubtful };
}

/** Settings whose value git runs as a command. */
const RUN_BY_GIT =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|sequence\.editor|diff\.external|credential(?:\..*)?\.helper|pager\.\w+|diff\..*\.(?:command|textconv)|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|gpg(?:\..*)?\.program|(?:difftool|mergetool)\..*\.cmd|uploadpack\.packobjectshook|interactive\.difffilter|web\.browser)$/i;

/** Options whose value git runs as a command, by subcommand. */
const RUN_OPTIONS: Readonly<Record<string, RegExp>> = {
  rebase: /^(?:-x|--exec=?)(.*)$/,
  difftool: /^(?:-x|--extcmd=?)(.*)$/,
  grep: /^(?:-O|--open-files-in-pager=?)(.+)$/,
  clone: /^(?:-u|--upload-pack=?)(.*)$/,
  archive: /^--exec=?(.*)$/,
  'ls-remote': /^--(?:upload-pack|exec)=?(.*)$/,
  pull: /^--upload-pack=?(.*)$/,
  fetch: /^--upload-pack=?(.*)$/,
  push: /^(?:--receive-pack|--exec)=?(.*)$/,
  'filter-branch': /^--(?:tree|index|msg|env|parent|commit|tag-name)-filter=?(.*)$/,
};

/** The commands that git runs because of its settings, options and subcommands. */
export function gitCommands(args: readonly string[]): InnerCommand[] {
  const { command, rest, settings } = splitGit(args);
  const option = Object.hasOwn(RUN_OPTIONS, command) ? RUN_OPTIONS[command] : undefined;
  const set = command === 'config' ? [settingIn(rest)] : command === 'clone' ? settingsOfClone(rest) : [];
  return [
    ...[...settings, ...set].flatMap(inSetting),
    ...(option === undefined ? [] : optionValues(rest, option)).map((script) => ({ script })),
    ...subcommandScripts(command, rest),
    ...rest
      .flatMap((arg) => /^ext::(.+)$/.exec(arg)?.[1] ?? [])
      .map((script) => ({ script: script.replaceAll('% ', ' ') })),
  ];
}

/** The settings of `git clone -c key=value`, which git sets in the new repository before checkout. */
export function settingsOfClone(rest: readonly string[]): string[] {
  return optionValues(rest, /^(?:-c|--config=?)(.*)$/);
}

function settingIn(rest: readonly string[]): string {
  const [key = '', ...value] = rest.filter((arg) => !arg.startsWith('-') && !/^(?:set|add)$/.test(arg));
  return `${key}=${value.join(' ')}`;
}

/**
 * The commands in a git setting. An alias with `!` is a shell script, one without is a git command line. Of the other
 * settings, git runs only some.
 */
function inSetting(setting: string): InnerCommand[] {
  const [, key = '', value = ''] = /^([^=]*)=(.*)$/s.exec(setting) ?? [];
  if (value === '') return [];
  if (/^alias\./i.test(key)) return [value.startsWith('!') ? { script: value.slice(1) } : { script: `git ${value}` }];
  if (!RUN_BY_GIT.test(key)) return [];
  // A helper without a path is one of git's own programs.
  if (/^credential/i.test(key) && !value.startsWith('!')) return [];
  return [{ script: value.replace(/^!/, '') }];
}

function subcommandScripts(command: string, rest: readonly string[]): InnerCommand[] {
  if (command === 'bisect' && rest[0] === 'run') return [{ words: rest.slice(1) }];
  if (command === 'submodule' && rest.includes('foreach')) {
    const words = rest.slice(rest.indexOf('foreach') + 1).filter((word) => word !== '--recursive');
    return [{ script: words.join(' ') }];
  }
  return [];
}
