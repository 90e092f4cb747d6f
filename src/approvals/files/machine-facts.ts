import type { OwnProgram } from '../own-program/own-program.ts';
import type { CloudVerbs } from '../rules/cloud-verbs.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import type { Disk } from './disk.ts';
import type { CommandPaths } from './command-paths.ts';

/** The paths of the machine that a judgement depends on. */
export type MachineFacts = {
  /** The user's home directory as given and resolved, the usual path first. */
  homes: readonly string[];
  /** The home directory of Hermes in use first, then those that contain profiles, each as given and resolved. */
  hermesHomes: readonly string[];
  /** Paths that are never changed without approval. */
  protectedPaths: readonly ProtectedPath[];
  /** Paths that contain secrets. */
  secretPaths: SecretPaths;
  workingDirectory: string;
  /** Further folders in which the agent may write. */
  workspace: readonly string[];
  /** The folder with the files of the running Hermes, as given and resolved. */
  ownPackage: readonly string[];
  /** Environment variables of commands that hold a path or the name of the user. */
  variables: ReadonlyMap<string, string>;
  disk: Disk;
  /** The running program; only for judgements of commands. */
  program?: OwnProgram;
  /** The tables for programs of clouds, which are loaded when a command needs them. */
  cloud?: CloudTables;
  /** Links that the command line itself creates: the path of the link, and its target. */
  links?: ReadonlyMap<string, string>;
  /** The git remotes for which the command line itself sets the address. */
  remotes?: ReadonlySet<string> | undefined;
  /** The copies of environment files that only run if the target is missing. */
  creates?: ReadonlySet<string> | undefined;
  /** The command line itself makes a backup of Hermes, which contains its keys. */
  backup?: boolean;
  /** The paths of the commands that were already resolved, because many rules ask for them. */
  resolved?: WeakMap<ShellCommand, CommandPaths>;
};

export type CloudTables = { isNeeded: boolean; verbs?: CloudVerbs };

/**
 * Credentials of Hermes, files of the user that contain only secrets, folders that contain some, and examples of files
 * that patterns are matched against.
 */
export type SecretPaths = Record<'own' | 'inHome' | 'folders' | 'examples', readonly string[]>;
export type ProtectedPath = { rule: string; path: string };

export function isWithin(path: string, folder: string): boolean {
  return path.startsWith(folder) && (path.length === folder.length || folder === '/' || path[folder.length] === '/');
}

/** The home directory of any user, also on a mounted disk. */
const ANY_HOME =
  /^(?:\/(?:mnt|media|host|sysroot|target|Volumes)(?:\/[^/]+)?|\/(?:usr|var|export|private\/var))?\/(?:root|(?:home|Users)\/[^/]+)(?=\/|$)/;

/** The path in the user's own home directory for one in that of another user; undefined for other paths. */
export function ownPathOf(path: string, homes: readonly string[]): string | undefined {
  const home = ANY_HOME.exec(path)?.[0];
  if (home === undefined || homes.some((one) => isWithin(path, one))) return undefined;
  return `${homes[0] ?? ''}${path.slice(home.length)}`;
}
