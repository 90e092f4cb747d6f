import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ProjectGuard } from './project-guards.ts';

/** What commands in a sandbox see of the machine. */
export type SandboxView = {
  /** The only folder of the user that commands can write. */
  workingDirectory: string;
  /** Further folders of the user that commands can write. */
  addedFolders?: readonly string[] | undefined;
  /** Whether commands have network access. */
  network: boolean;
  /** Files and folders that are hidden from commands. Missing ones are ignored. */
  hidden: readonly string[];
  /** A folder made by `makeSandboxFolder`. */
  folder: string;
  /** Folders besides /tmp that the private temporary folder replaces. */
  temporaryFolders?: readonly string[];
  /** Folders that keep their path inside the sandbox, wherever they are. */
  visible: readonly { path: string; writable: boolean }[];
};

/** The arguments of a sandbox program without the command. The identity changes if a new sandbox would see something else. */
export type SandboxArguments = { args: string[]; guards: ProjectGuard[]; identity: string };

/**
 * The content of a sandbox folder: the private /tmp, what hidden folders and files look like, what Hermes writes for
 * commands, and what their shells write for Hermes. The folder itself is not visible to commands: what replaces a part
 * of it, such as a link, would be mounted for the next command.
 */
export const SANDBOX_FOLDER = {
  tmp: 'tmp',
  emptyFolder: 'empty',
  emptyFile: 'nothing',
  given: 'given',
  left: 'left',
} as const;

/**
 * Places in the home directory with sockets of services that run commands outside the sandbox: Docker Desktop,
 * Colima, Lima, Rancher Desktop and OrbStack. The other usual ones are in /run.
 */
const SERVICES_IN_HOME = ['.colima', '.lima', '.rd', '.orbstack', '.docker'];
const SERVICES = ['/var/lib/mysql/mysql.sock', '/var/lib/docker', '/var/lib/containerd', '/var/spool/cron'];

/** The hidden places that exist, with links resolved, because both sandbox programs use the resolved path. */
export function findHidden(hidden: readonly string[]): { place: string; isFolder: boolean }[] {
  const places = [...hidden, ...SERVICES_IN_HOME.map((name) => join(homedir(), name)), ...SERVICES];
  const found = new Map<string, boolean>();
  for (const given of places) {
    const stat = statSync(given, { throwIfNoEntry: false });
    if (stat !== undefined) found.set(realpathSync.native(given), stat.isDirectory());
  }
  return [...found].map(([place, isFolder]) => ({ place, isFolder }));
}

export function isWithinAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => folder === '/' || path === folder || path.startsWith(`${folder}/`));
}

export function depthOf(place: string): number {
  return place === '/' ? 1 : place.split('/').length;
}
