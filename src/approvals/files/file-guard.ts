import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import { namesOwnFile } from '../own-program/own-files.ts';
import { ANY_HERMES_HOME } from './secrets.ts';
import { isWithin, type MachineFacts, type ProtectedPath } from './machine-facts.ts';

export const OUTSIDE_RULE = 'write outside the working directory';

type Protection = { rule: string; within: 'home' | 'hermes'; paths: readonly string[] };

export const OWN_RULE = "change the agent's own configuration";
export const START_RULE = 'change a shell start-up file';
/** Paths that are never changed without approval, whatever tool does it. A folder includes everything below it. */
const PROTECTIONS: readonly Protection[] = [
  {
    rule: OWN_RULE,
    within: 'hermes',
    paths: [
      '',
      'config.yaml',
      '.env',
      'auth.json',
      'mcp-tokens',
      'pairing',
      'webhook_subscriptions.json',
      'api_server.key',
      'api_keys.json',
      'state.db',
      'state.db-wal',
      'state.db-shm',
      'hermes.db',
      'hermes.db-wal',
      'hermes.db-shm',
      'SOUL.md',
      'BOOT.md',
      'hooks',
      'plugins',
      'cron',
      'allowed-hooks.json',
      'skills',
      'memories',
      'profiles',
    ],
  },
  { rule: 'change ssh keys or configuration', within: 'home', paths: ['.ssh'] },
  {
    rule: 'change credentials',
    within: 'home',
    paths:
      '.aws .gnupg .kube .docker .azure .config/gh .config/gcloud .netrc .pgpass .npmrc .pypirc .git-credentials .cargo/credentials.toml .password-store .config/op .vault-token .terraform.d/credentials.tfrc.json .m2/settings.xml .gem/credentials'.split(
        ' ',
      ),
  },
  {
    rule: START_RULE,
    within: 'home',
    paths:
      '.bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .zlogout .config/fish .config/autostart .config/systemd .xprofile .xinitrc .inputrc .bash_aliases .cshrc .tcshrc .kshrc .pam_environment .gitconfig .config/git .config/pip .config/environment.d .config/Code/User/tasks.json .config/Code/User/settings.json .pythonrc.py .pythonrc .config/autostart-scripts .xsessionrc .xsession .Xresources .gdbinit .lldbinit .irbrc .psqlrc .sqliterc .curlrc .wgetrc .screenrc .emacs .emacs.d/init.el .config/hypr .config/sway/config .config/i3/config Library/LaunchDaemons Library/Preferences Library/LaunchAgents'.split(
        ' ',
      ),
  },
];
export const SYSTEM_RULE = 'change system files';
export const GIT_RULE = 'change commands that git runs';
/** Git runs the hooks at the next commit or checkout, and the configuration can name programs as well. */
const GIT_OWN = /\/\.git\/(?:hooks(?:\/|$)|config(?:\.worktree)?$|info\/attributes$)/;
/** In a trusted project, the agent loads these plugins at its next start. */
const PROJECT_PLUGINS = /\/\.hermes\/plugins(?:\/|$)/;
export const AGENT_RULE = 'change what agents may do';
/** Settings of other agents in a project: what they may do without asking, and programs that they start. */
const PROJECT_AGENTS =
  /\/(?:\.mcp\.json|\.claude\/(?:settings(?:\.local)?\.json|hooks\/.+)|\.(?:cursor|vscode)\/(?:mcp|hooks)\.json|\.gemini\/settings\.json|\.codex\/config\.toml|\.kiro\/settings\/mcp\.json)$/;
/** Folders that belong to the operating system. */
const SYSTEM =
  /^\/(?:etc|boot|usr|bin|sbin|lib|lib32|lib64|System|Library|var\/spool\/cron|var\/log|var\/lib|var\/backups|var\/mail|var\/db|var\/service|service|proc\/sys|sys|private\/etc)(?:\/|$)/;
/**
 * The state of another process: its open files, its memory, how likely the kernel is to end it. `/dev/stdout` leads to
 * a name such as `/proc/9/fd/pipe:[7]`.
 */
const OF_OTHER_PROCESS = /^\/proc\/(?!self\/|thread-self\/|sys\/)[^/]+\/(?!fd\/[a-z]).+/;
/** Users install their own programs here. */
const NOT_SYSTEM = /^\/usr\/local(?:\/|$)/;
/** Names of well-known programs in folders that come first in PATH: such a file would replace the real program. */
const WELL_KNOWN =
  /^(?:\/usr\/local|\/opt\/homebrew|\/home\/[^/]+(?:\/\.local)?|\/Users\/[^/]+(?:\/\.local)?|\/root(?:\/\.local)?)\/s?bin\/(?:(?:ba|z|da|fi)?sh|sudo|su|ssh|scp|git|gpg|ls|cat|rm|cp|mv|env|which|ps|curl|wget|node|npm|npx|python3?|pip3?|ruby|perl|java|go|cargo|make|docker|kubectl|aws|vim?|nano|less|man|systemctl)$/;

/** Files that every Python of the user runs when it starts. */
export const PYTHON_START_NAME = /\/(?:user|site)customize\.py$/;
const PYTHON_PATHS = /\/(?:site|dist)-packages\/[^/]+\.pth$/;

/** Files below the home directory of any user that a program runs or loads by itself later. */
const LATER =
  /^\/(?:root|(?:home|Users)\/[^/]+)\/\.(?:vim\/(?:plugin|autoload|after)\/|tmux\.conf|Rprofile|julia\/config\/|ipython\/|jupyter\/|gradle\/init\.|mavenrc|bazelrc|cargo\/config|yarnrc|gemrc|pryrc|ghci|sbtrc|mailcap|procmailrc|forward|bashrc\.d\/|oh-my-zsh\/custom\/|config\/(?:tmux|zsh|plasma-workspace|awesome|bspwm|openbox|direnv|mise|nushell|powershell|npm|yarn)\/|local\/share\/(?:systemd|dbus-1)\/|xmonad\/|hammerspoon\/|claude\/(?:settings|hooks)|codex\/config|cursor\/(?:mcp|hooks)|gemini\/settings|aider\.conf)/;

/** The path as given, and with symbolic links resolved as far as it exists. */
export function pathAliases(path: string): string[] {
  try {
    return [...new Set([path, realpathSync.native(path)])];
  } catch {
    const parent = dirname(path);
    return parent === path ? [path] : pathAliases(parent).map((name) => join(name, basename(path)));
  }
}

/** The home directories of Hermes: the one in use, the one that contains its profile, and the default one. */
export function findHermesHomes(home: string, hermesHome: string): string[] {
  const root = basename(dirname(hermesHome)) === 'profiles' ? [dirname(dirname(hermesHome))] : [];
  return [...new Set([hermesHome, ...root, join(home, '.hermes')].flatMap(pathAliases))];
}

/** All protected paths, including their resolved forms, because the home directory or a folder in it may be a link. */
export function findProtectedPaths(home: string, hermesHomes: readonly string[]): ProtectedPath[] {
  return PROTECTIONS.flatMap(({ rule, within, paths }) => {
    const roots = within === 'home' ? [home] : hermesHomes;
    const found = roots.flatMap((root) => paths.flatMap((path) => pathAliases(join(root, path))));
    return [...new Set(found)].map((path) => ({ rule, path }));
  });
}

/** The rule that protects an absolute path; undefined if it is not protected. */
export function protectionOf(path: string, facts: MachineFacts): string | undefined {
  const found = facts.protectedPaths.find((one) => isWithin(path, one.path) && !isProjectIn(one.path, path, facts));
  if (found) return found.rule;
  if (isOwnProgram(path, facts)) return OWN_RULE;
  if (GIT_OWN.test(path)) return GIT_RULE;
  if (OF_OTHER_PROCESS.test(path)) return SYSTEM_RULE;
  if (PROJECT_PLUGINS.test(path)) return OWN_RULE;
  if (PROJECT_AGENTS.test(path) && isWithin(path, facts.workingDirectory)) return AGENT_RULE;
  if (WELL_KNOWN.test(path)) return SYSTEM_RULE;
  if (PYTHON_START_NAME.test(path) || PYTHON_PATHS.test(path) || LATER.test(path)) return START_RULE;
  if (ANY_HERMES_HOME.test(path) && !isWithin(path, facts.workingDirectory)) return OWN_RULE;
  return isSystemFile(path, facts) ? SYSTEM_RULE : undefined;
}

/**
 * Whether a path belongs to the installed program, which contains the guard. What is in the working directory is a
 * project, such as a checkout of Hermes, except the packages that are installed in it.
 */
export function isOwnProgram(path: string, { ownPackage, workingDirectory }: MachineFacts): boolean {
  const inProject = isWithin(path, workingDirectory);
  if (namesOwnFile(path, inProject)) return true;
  return !inProject && ownPackage.some((own) => isWithin(path, own) && !isWithin(workingDirectory, own));
}

/** Whether the working directory is a project inside a home directory of Hermes, and the path is in that project. */
function isProjectIn(folder: string, path: string, { hermesHomes, workingDirectory }: MachineFacts): boolean {
  return (
    hermesHomes.includes(folder) &&
    workingDirectory !== folder &&
    isWithin(workingDirectory, folder) &&
    isWithin(path, workingDirectory)
  );
}

/** The rules of the protected paths inside a folder that is moved, removed or unpacked into. */
export function protectionsInside(folder: string, facts: MachineFacts): string[] {
  const inside = facts.protectedPaths.filter(({ path }) => isWithin(path, folder));
  return [...new Set(inside.map(({ rule }) => rule))];
}

/** All protected and secret files, to recognise a hard link to one of them. Of folders, only the top level. */
export function* guardedFiles({ protectedPaths, secretPaths, disk }: MachineFacts): Generator<string> {
  for (const path of [...protectedPaths.map((one) => one.path), ...Object.values(secretPaths).flat()]) {
    yield path;
    for (const name of disk.names(path)) yield join(path, name);
  }
}

/** A project inside a system folder, as is common in containers, does not count as system files. */
function isSystemFile(path: string, facts: MachineFacts): boolean {
  if (!SYSTEM.test(path) || NOT_SYSTEM.test(path)) return false;
  const inProject = facts.workingDirectory !== '/' && path.startsWith(facts.workingDirectory + sep);
  return !inProject;
}

/** The system's temporary directories, where any program may write. */
export function temporaryFolders(): string[] {
  return [...new Set(['/tmp', '/var/tmp', '/private/tmp', '/dev/shm', tmpdir()].flatMap(pathAliases))];
}

/** Whether an absolute path is in the working directory, in a temporary directory or in a configured workspace root. */
export function isInWorkspace(path: string, folders: readonly string[]): boolean {
  if (/^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+|full|zero)$/.test(path)) return true;
  return folders.some((folder) => isWithin(path, folder));
}

/** Block devices by their names on Linux, macOS and the BSDs. */
export function isBlockDevice(path: string): boolean {
  return /^\/dev\/(?:r?disk|[shv]d[a-z]|xvd[a-z]|nvme\d|mmcblk|md\d|dm-|mapper\/|loop\d|sr\d|zd\d|nbd\d|ada\d|da\d|disk\/by-)/.test(
    path,
  );
}
