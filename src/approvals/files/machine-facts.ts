import type { OwnProgram } from '../own-program/own-program.ts';
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
  /** Environment variables of commands that hold a path or the name of the user. */
  variables: ReadonlyMap<string, string>;
  disk: Disk;
  /** The running program; only for judgements of commands. */
  program?: OwnProgram;
  /** Links that the command line itself creates: the path of the link, and its target. */
  links?: ReadonlyMap<string, string>;
  /** The git remotes for which the command line itself sets the address. */
  remotes?: ReadonlySet<string> | undefined;
  /** The command line itself makes a backup of Hermes, which contains its keys. */
  backup?: boolean;
  /** The paths of the commands that were already resolved, because many rules ask for them. */
  resolved?: WeakMap<ShellCommand, CommandPaths>;
};

/**
 * Credentials of Hermes, files of the user that contain only secrets, folders that contain some, and examples of files
 * that patterns are matched against.
 */
export type SecretPaths = Record<'own' | 'inHome' | 'folders' | 'examples', readonly string[]>;
export type ProtectedPath = { rule: string; path: string };

export function isWithin(path: string, folder: string): boolean {
  return path.startsWith(folder) && (path.length === folder.length || folder === '/' || path[folder.length] === '/');
}
