import { settingsOfClone, splitGit } from '../shell/git-commands.ts';
import { hasAny, optionValues, type ShellCommand, splitArguments } from '../shell/shell-command.ts';
import { GIT_RULE } from '../files/file-guard.ts';

import { domainOf, findRemoteHosts, isPrivateHost, USUAL_SOURCE } from '../files/hosts.ts';
import type { MachineFacts } from '../files/machine-facts.ts';
import { isComputed } from '../shell/words.ts';
import type { CommandRule } from './rule.ts';

type Git = { verb: string; rest: string[]; options: Set<string>; operands: string[] };

function gitOf({ args }: ShellCommand): Git {
  const { command, rest } = splitGit(args);
  return { verb: command, rest, ...splitArguments(rest) };
}

/** Commands that an alias may run in a shell without approval. */
const PLAIN_ALIAS =
  /^(?:git|gh|glab|hub|echo|printf|cd|pwd|true|test|\[|sort|uniq|head|tail|grep|egrep|awk|sed|cut|tr|wc|xargs|less|cat|column|fzf|f|if|then|else|fi|do|done|for|while|case|esac|return|local|shift|open|xdg-open|code|basename|dirname|npm|make|\}|\w+\(\)|\$\(git|\w+=.*)?$/;

/** `!sh /tmp/x`: an alias for a program other than git and the usual filters. */
function isForeignAlias(value: string): boolean {
  if (!value.startsWith('!')) return false;
  return value
    .slice(1)
    .replace(/'[^']*'|"[^"$]*"/g, '""')
    .split(/[;|&{}\n]+|\$\(|\b(?:do|then|else)\b|\w+\(\)/)
    .some((part) => !PLAIN_ALIAS.test(part.trim().split(/\s+/)[0] ?? ''));
}

/** Settings that name programs, include other config files, or redirect fetch and push. */
const COMMAND_SETTING =
  /^(?:core\.(?:worktree|hookspath|fsmonitor|sshcommand|gitproxy|askpass|alternaterefscommand)|init\.templatedir|include\.path|includeif\..*|gpg(?:\..*)?\.program|credential(?:\..*)?\.helper|filter\..*\.(?:clean|smudge|process)|diff\..*\.(?:textconv|command)|diff\.external|merge\..*\.driver|(?:difftool|mergetool)\..*\.cmd|core\.(?:editor|pager)|pager\.\w+|sequence\.editor|interactive\.difffilter|web\.browser|browser\..*\.cmd|protocol\..*\.allow|uploadpack\.packobjectshook|remote\..*\.(?:uploadpack|receivepack|vcs)|http(?:\..*)?\.proxy|url\..*\.(?:push)?insteadof)$/i;
/** Common harmless values of these settings. */
const COMMON_VALUE =
  /^(?:true|false|ssh(?: (?!.*(?:proxycommand|localcommand)).*)?|store|cache(?: .*)?|osxkeychain|manager(?:-core)?|libsecret|gpg2?|git-lfs .*|!?(?:\/\S*\/)?gh auth git-credential|\.?[\w-]+(?:\/[\w.-]+)*)?$/i;

/** Whether a setting makes git run another program or fetch from another host. */
function setsWhatGitRuns({ args, variables }: Pick<ShellCommand, 'args' | 'variables'>): boolean {
  if (variables.some(isForeignVariable)) return true;
  const { command, rest, settings } = splitGit(args);
  if (args.some((arg) => /^--(?:exec-path=\/|config-env=core\.)/.test(arg))) return true;
  const [key = '', ...value] = rest.filter(
    (arg, index) =>
      !/^-|^(?:set|add)$/.test(arg) && !/^(?:-f|--(?:file|blob|type|default))$/.test(rest[index - 1] ?? ''),
  );
  const reads = rest.some((arg) => /^(?:--(?:get|list|unset|remove|show)|-l$|(?:get|list|unset)$)/.test(arg));
  const written = command === 'config' && !reads && value.length > 0 ? [`${key}=${value.join(' ')}`] : [];
  const set = command === 'clone' ? settingsOfClone(rest) : written;
  const template = /^(?:clone|init)$/.test(command) ? optionValues(rest, /^--template=?(.*)$/) : [];
  if (template.some((folder) => folder !== '') || rest.some((arg) => arg.startsWith('ext::'))) return true;
  return [...settings, ...set, ...settingsInVariables(variables)].some((setting) => {
    const [, name = '', text = ''] = /^([^=]*)=(.*)$/s.exec(setting) ?? [];
    if (/^alias\./i.test(name)) return isForeignAlias(text);
    if (/^http\..*sslverify$/i.test(name)) return /^(?:false|0|no|off)$/i.test(text);
    if (!COMMAND_SETTING.test(name)) return false;
    if (/^url\./i.test(name)) return !isSameHost(name.slice(4), text);
    // Including the user's config files is normal. A relative path is a file of the repository, which others can change.
    if (/^include/i.test(name))
      return !/^(?:~|\$HOME|\/(?:home|Users)\/[^/]+)\/(?:\.gitconfig\S*|\.config\/git\/\S+|\.dotfiles\/\S+|dotfiles\/\S+|\.git\S*)$/.test(
        text,
      );
    if (/editor$|pager|browser|difftool|mergetool/i.test(name)) return !isUsualTool(text);
    if (/^protocol\./i.test(name)) return /^protocol\.ext\./i.test(name) && text !== 'never';
    return !COMMON_VALUE.test(text);
  });
}

/** An editor, pager or merge tool that is run by its name. A path or a script may be any program. */
function isUsualTool(value: string): boolean {
  return !/^["'!]?(?:\.{0,2}\/(?!usr\/|opt\/|Applications\/)|~\/)|^["'!]?\s*(?:sh|bash|zsh|dash|python\d?|perl|ruby|node|curl|wget|nc)\b/.test(
    value,
  );
}

/** The settings in `GIT_CONFIG_KEY_0` and `GIT_CONFIG_VALUE_0`, and those in `GIT_CONFIG_PARAMETERS`. */
function settingsInVariables(variables: readonly string[]): string[] {
  return variables.flatMap((variable) => {
    const [, index, key = ''] = /^GIT_CONFIG_KEY_(\d+)=(.*)$/s.exec(variable) ?? [];
    if (index !== undefined)
      return [
        `${key}=${variables.find((one) => one.startsWith(`GIT_CONFIG_VALUE_${index}=`))?.replace(/^[^=]*=/, '') ?? ''}`,
      ];
    return [...(/^GIT_CONFIG_PARAMETERS=(.*)$/s.exec(variable)?.[1] ?? '').matchAll(/'([^']+)'/g)].map(
      (found) => found[1] ?? '',
    );
  });
}

/** Variables with a program or a folder of hooks that git uses. */
function isForeignVariable(variable: string): boolean {
  const [, name = '', value = ''] = /^(GIT_\w+|SSH_ASKPASS)=(.*)$/s.exec(variable) ?? [];
  switch (name) {
    case 'GIT_SSH':
    case 'GIT_SSH_COMMAND':
      return !/^["']?(?:\/usr\/bin\/)?ssh(?:\s(?!.*(?:proxycommand|localcommand))|$)/i.test(value);
    case 'GIT_TEMPLATE_DIR':
    case 'GIT_EXEC_PATH':
    case 'GIT_PROXY_COMMAND':
    case 'GIT_EXTERNAL_DIFF':
      return value !== '' && !/^(?:difft|delta|true)$/.test(value);
    case 'GIT_PAGER':
    case 'GIT_EDITOR':
    case 'GIT_SEQUENCE_EDITOR':
      return /^["']?\/(?:tmp|var\/tmp|dev\/shm|home)\//.test(value);
    case 'GIT_ASKPASS':
    case 'SSH_ASKPASS':
      return !/^(?:|true|false|echo|\/bin\/(?:true|false|echo)|\/usr\/bin\/\S*|\/usr\/lib\S*)$/.test(value);
    case 'GIT_CONFIG_GLOBAL':
    case 'GIT_CONFIG_SYSTEM':
    case 'GIT_CONFIG':
      return !/^(?:|\/dev\/null|~?\/?[\w/.-]*\.gitconfig)$/.test(value) || /^\/tmp|^\/var\/tmp|^\/dev\/shm/.test(value);
    default:
      return false;
  }
}

/** Rewriting `git@` to `https` for the same host is harmless. */
function isSameHost(one: string, other: string): boolean {
  const host = (text: string) =>
    /(?:^|@|:\/\/)([\w-]+(?:\.[\w-]+)+)/.exec(text.replace(/\.(?:push)?insteadof$/i, ''))?.[1];
  return host(one) === host(other);
}

/**
 * Whether an address of a repository is on a public host that is neither a usual place for repositories nor in the
 * domain of a remote of the project. The name of a host proves nothing: anyone can register `git.example.org`.
 */
function isForeignRepository(address: string, directory: string): boolean {
  const remote = hostOfRepository(address);
  if (remote === undefined || /[$`]/.test(remote)) return false;
  if (isPrivateHost(remote) || USUAL_SOURCE.test(remote)) return false;
  return ![...findRemoteHosts(directory)].some((host) => domainOf(host) === domainOf(remote));
}

const hostOfRepository = (address: string) =>
  /^(?:(?:https?|ssh|git|ftps?):\/\/(?:[^@/]*@)?|(?:[\w.-]+@))([^/:?#\s]+)/.exec(address)?.[1];

/** An address in place of the name of a remote, except on this machine or in a private network. */
const isPublicAddress = (word: string) => !isPrivateHost(hostOfRepository(word) ?? '');

const EVERYTHING = /^(?:--(?:all|mirror|branches)|-[a-zA-Z]*a|\+?refs\/(?:heads\/)?\*.*|\+?HEAD:refs\/heads\/\*)$/;

/** The remotes for which the commands of a line set the address. */
export function remotesAdded(commands: readonly ShellCommand[]): Set<string> | undefined {
  const names = commands.flatMap((command) => {
    if (command.name !== 'git') return [];
    const { verb, operands } = gitOf(command);
    if (verb === 'config') return operands.flatMap((one) => /^remote\.(.+)\.(?:push)?url$/i.exec(one)?.[1] ?? []);
    if (verb !== 'remote' || !/^(?:add|set-url)$/.test(operands[0] ?? '')) return [];
    const at = operands.findLastIndex((one) => /[/:]/.test(one));
    return at > 1 && isPublicAddress(operands[at] ?? '') ? operands.slice(1, at) : [];
  });
  return names.length === 0 ? undefined : new Set(names);
}

const REMOTE_SETTING = /^remote\.[^=]*\.(?:push)?url=(.*)$/is;

/** Pushes to an address, and changes of the address to which later pushes go. */
function pushesElsewhere(command: ShellCommand, { remotes }: MachineFacts): boolean {
  const { directory } = command;
  const { settings } = splitGit(command.args);
  const { verb, rest, operands } = gitOf(command);
  if (settings.some((setting) => isForeignRepository(REMOTE_SETTING.exec(setting)?.[1] ?? '', directory))) return true;
  switch (verb) {
    case 'push':
      if ([...operands.slice(0, 1), ...optionValues(rest, /^--repo=?(.*)$/)].some(isPublicAddress)) return true;
      return (
        rest.some((arg) => EVERYTHING.test(arg)) &&
        (operands.length === 0 ? remotes !== undefined : operands.some((one) => remotes?.has(one) === true))
      );
    case 'remote':
      // A remote that is added with the usual user of a forge is mostly a fork or an upstream.
      if (operands[0] === 'add')
        return isForeignRepository(operands[2] ?? '', directory) && !(operands[2] ?? '').startsWith('git@');
      return operands[0] === 'set-url' && operands.slice(2).some((one) => isForeignRepository(one, directory));
    case 'config': {
      const [key = '', value = ''] = rest.filter((arg) => !/^-|^(?:set|add)$/.test(arg));
      return isForeignRepository(REMOTE_SETTING.exec(`${key}=${value}`)?.[1] ?? '', directory);
    }
    default:
      return false;
  }
}

/** Remotes that build and start what they get, and branches from which a service deploys. */
const DEPLOYING_REMOTE =
  /^(?:heroku|dokku|piku|caprover|scalingo|clever|gigalixir|azure|openshift|flynn|deis|kinsta|pantheon|platform(?:sh)?|acquia|aptible)(?:[-_].*)?$|^(?:.*[-_])?(?:prod(?:uction)?|live|deploy(?:ment)?)$/i;
const DEPLOYING_BRANCH =
  /^[^:]*:(?:refs\/heads\/)?(?:prod(?:uction)?|live|deploy(?:ment)?|release\/prod\w*)$|^(?:prod(?:uction)?|live)$/i;

/** `git push heroku main`, `git push origin main:production`. */
function deploys(command: ShellCommand): boolean {
  const git = gitOf(command);
  const [remote = '', ...branches] = git.operands;
  return (
    git.verb === 'push' &&
    !DRY(git) &&
    (DEPLOYING_REMOTE.test(remote) || branches.some((branch) => DEPLOYING_BRANCH.test(branch)))
  );
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
  { rule: GIT_RULE, commands: ['git'], when: setsWhatGitRuns },
  { rule: 'push to another host', commands: ['git'], when: pushesElsewhere },
  { rule: 'change something on another machine', commands: ['git'], when: deploys },
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
    case 'read-tree':
      return hasAny(options, 'reset') || (options.has('u') && options.has('m'));
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

/** A path with a name that folders usually have. */
const FOLDER_NAME =
  /^(?:[\w.-]+\/)*(?:src|lib|apps?|tests?|specs?|docs?|packages|pkg|cmd|internal|components|server|client|web|frontend|backend|api|scripts|include|crates|modules|services|public|assets|db|migrations)$/;

/** Restoring whole folders discards uncommitted changes; `restore --staged` does not touch the files. */
function putsFilesBack({ verb, rest, options, operands }: Git): boolean {
  if (verb === 'checkout' && hasAny(options, 'f', 'force')) return true;
  const onlyIndex = hasAny(options, 'S', 'staged') && !hasAny(options, 'W', 'worktree');
  const paths = rest.includes('--') ? rest.slice(rest.indexOf('--') + 1) : verb === 'restore' ? operands : [];
  const all =
    operands.some((operand) => ['.', ':/', ':', '*', '..', './*'].includes(operand) || operand.endsWith('/')) ||
    paths.some((path) => FOLDER_NAME.test(path));
  return all && !(verb === 'restore' && onlyIndex);
}

function rewrites(git: Git): boolean {
  const { verb, rest, options, operands } = git;
  switch (verb) {
    case 'filter-branch':
    case 'filter-repo':
      return true;
    case 'reflog':
      return (rest[0] === 'expire' || rest[0] === 'delete') && !DRY(git);
    case 'tag':
      // Which tags these are is only known at run time, so there are probably many.
      return hasAny(options, 'd', 'delete') && (operands.length === 0 || operands.some(isComputed));
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
    case 'fetch':
    case 'pull':
      // A forced update of a local branch loses its commits.
      return rest.some(
        (arg) =>
          /^\+?[^:+-]+:(?!refs\/(?:remotes|tags|pull|notes)\/|\/\/).+/.test(arg) &&
          !/@|\.git$/.test(arg) &&
          (arg.startsWith('+') || hasAny(options, 'f', 'force')),
      );
    case 'lfs':
      return rest[0] === 'migrate' && /^(?:import|export)$/.test(rest[1] ?? '');
    case 'replace':
      return rest.length > 0 && rest[0] !== '-l';
    default:
      return false;
  }
}
