import { settingsOfClone, splitGit } from '../shell/git-commands.ts';
import { hasAny, type ShellCommand, splitArguments } from '../shell/shell-command.ts';
import { GIT_RULE } from '../files/file-guard.ts';
import type { CommandRule } from './rule.ts';

type Git = { verb: string; rest: string[]; options: Set<string>; operands: string[] };

function gitOf({ args }: ShellCommand): Git {
  const { command, rest } = splitGit(args);
  return { verb: command, rest, ...splitArguments(rest) };
}

/** Settings that name programs, include other config files, or redirect fetch and push. */
const COMMAND_SETTING =
  /^(?:core\.(?:hookspath|fsmonitor|sshcommand|gitproxy|askpass|alternaterefscommand)|init\.templatedir|include\.path|includeif\..*|gpg(?:\..*)?\.program|credential(?:\..*)?\.helper|filter\..*\.(?:clean|smudge|process)|diff\..*\.textconv|uploadpack\.packobjectshook|remote\..*\.(?:uploadpack|receivepack|vcs)|http(?:\..*)?\.proxy|url\..*\.(?:push)?insteadof)$/i;
/** Common harmless values of these settings. */
const COMMON_VALUE =
  /^(?:true|false|ssh(?: (?!.*(?:proxycommand|localcommand)).*)?|store|cache(?: .*)?|osxkeychain|manager(?:-core)?|libsecret|gpg2?|git-lfs .*|!?(?:\/\S*\/)?gh auth git-credential|\.?[\w-]+(?:\/[\w.-]+)*)?$/i;

/** Whether a setting makes git run another program or fetch from another host. */
function setsWhatGitRuns(args: readonly string[]): boolean {
  const { command, rest, settings } = splitGit(args);
  if (args.some((arg) => /^--(?:exec-path=\/|config-env=core\.)/.test(arg))) return true;
  const [key = '', ...value] = rest.filter(
    (arg, index) =>
      !/^-|^(?:set|add)$/.test(arg) && !/^(?:-f|--(?:file|blob|type|default))$/.test(rest[index - 1] ?? ''),
  );
  const reads = rest.some((arg) => /^(?:--(?:get|list|unset|remove|show)|-l$|(?:get|list|unset)$)/.test(arg));
  const written = command === 'config' && !reads && value.length > 0 ? [`${key}=${value.join(' ')}`] : [];
  const set = command === 'clone' ? settingsOfClone(rest) : written;
  return [...settings, ...set].some((setting) => {
    const [, name = '', text = ''] = /^([^=]*)=(.*)$/s.exec(setting) ?? [];
    if (/^http\..*sslverify$/i.test(name)) return /^(?:false|0|no|off)$/i.test(text);
    if (!COMMAND_SETTING.test(name)) return false;
    if (/^url\./i.test(name)) return !isSameHost(name.slice(4), text);
    // Including the user's config files is normal; including a file of a temporary folder is not.
    if (/^include/i.test(name)) return /^\/(?:tmp|var\/tmp|dev\/shm)\//.test(text);
    return !COMMON_VALUE.test(text);
  });
}

/** Rewriting `git@` to `https` for the same host is harmless. */
function isSameHost(one: string, other: string): boolean {
  const host = (text: string) =>
    /(?:^|@|:\/\/)([\w-]+(?:\.[\w-]+)+)/.exec(text.replace(/\.(?:push)?insteadof$/i, ''))?.[1];
  return host(one) === host(other);
}

const DRY = (git: Git) => hasAny(git.options, 'n', 'dry-run');

/** Unreachable commits can still be recovered; uncommitted changes and overwritten remote history cannot. */
export const GIT_RULES: readonly CommandRule[] = [
  {
    rule: 'discard work in git',
    commands: ['git'],
    reviewable: true,
    alwaysByPrefix: true,
    when: (command) => discards(gitOf(command)),
  },
  { rule: 'rewrite git history', commands: ['git'], alwaysByPrefix: true, when: (command) => rewrites(gitOf(command)) },
  { rule: GIT_RULE, commands: ['git'], when: ({ args }) => setsWhatGitRuns(args) },
  { rule: 'rewrite git history', commands: ['bfg', 'git-filter-repo', 'git-filter-branch'], everydayName: true },
];

function discards(git: Git): boolean {
  const { verb, rest, options } = git;
  switch (verb) {
    case 'reset':
      return hasAny(options, 'hard', 'merge', 'keep');
    case 'clean':
      return hasAny(options, 'f', 'force') && !DRY(git);
    case 'branch':
      return options.has('D') || (hasAny(options, 'd', 'delete') && hasAny(options, 'f', 'force'));
    case 'stash':
      return rest[0] === 'drop' || rest[0] === 'clear';
    case 'rm':
      return hasAny(options, 'r') && hasAny(options, 'f', 'force') && !hasAny(options, 'cached');
    case 'worktree':
      return rest[0] === 'remove' && hasAny(options, 'f', 'force');
    case 'submodule':
      return rest.includes('deinit') && hasAny(options, 'f', 'force');
    case 'checkout-index':
      return hasAny(options, 'f', 'force');
    case 'switch':
      return hasAny(options, 'f', 'force', 'discard-changes');
    case 'checkout':
    case 'restore':
      return putsFilesBack(git);
    default:
      return false;
  }
}

/** Restoring whole folders discards uncommitted changes; `restore --staged` does not touch the files. */
function putsFilesBack({ verb, options, operands }: Git): boolean {
  if (verb === 'checkout' && hasAny(options, 'f', 'force')) return true;
  const onlyIndex = hasAny(options, 'S', 'staged') && !hasAny(options, 'W', 'worktree');
  const all = operands.some((operand) => ['.', ':/', ':', '*', '..', './*'].includes(operand) || operand.endsWith('/'));
  return all && !(verb === 'restore' && onlyIndex);
}

function rewrites(git: Git): boolean {
  const { verb, rest, options } = git;
  switch (verb) {
    case 'filter-branch':
    case 'filter-repo':
      return true;
    case 'reflog':
      return (rest[0] === 'expire' || rest[0] === 'delete') && !DRY(git);
    case 'update-ref':
    case 'symbolic-ref':
      return options.has('d') || hasAny(options, 'stdin', 'delete');
    case 'gc':
    case 'prune':
      return verb === 'prune' ? !DRY(git) : rest.some((arg) => /^--prune(?!=never)/.test(arg));
    case 'push':
      return (
        !DRY(git) &&
        rest.some((arg) => /^(?:-[a-zA-Z]*f[a-zA-Z]*|--fo(?!llow).*|--mi.*|--de.*|--prune|-d|\+\S+|:\S+)$/.test(arg))
      );
    case 'replace':
      return rest.length > 0 && rest[0] !== '-l';
    default:
      return false;
  }
}
