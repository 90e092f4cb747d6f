import { dirname } from 'node:path';
import { pathsUsed, type UsedPath } from '../files/command-paths.ts';
import { commandsWithFoundNames } from '../files/found-paths.ts';
import { changesInPlace, replacesExisting } from '../files/in-place.ts';
import { temporaryFolders } from '../files/file-guard.ts';
import { isWithin, type MachineFacts } from '../files/machine-facts.ts';
import { writesFiles } from '../files/write-arguments.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { USER_FOLDER } from './personal-files.ts';
import type { CommandRule } from './rule.ts';

/** Folders and files below a home directory that programs create again. */
const REPLACEABLE =
  /^\/(?:\.cache|\.npm|\.cargo\/registry|\.gradle\/caches|\.m2\/repository|\.local\/(?:state|share\/Trash)|\.nv|\.ccache|\.yarn\/cache|Library\/Caches)(?:\/|$)/;
/** Files that only say that a program runs, and temporary files of editors. */
const TRANSIENT_FILE = /\.(?:pid|sock(?:et)?|lock|sw[a-p]|tmp|part|crdownload)$|~$|\/\.(?:zcompdump|DS_Store)[^/]*$/;

/** Whether losing this file would be a loss to the user that no project and no program makes up for. */
export function isOutsideProject(path: string, directory: string, facts: MachineFacts): boolean {
  const { homes, workingDirectory } = facts;
  const home = homes.find((one) => isWithin(path, one));
  const below = home === undefined ? '' : path.slice(home.length);
  if (TRANSIENT_FILE.test(path) || REPLACEABLE.test(below) || path.startsWith('/dev/')) return false;
  if (USER_FOLDER.test(below)) return !isInOwnFolder(path, workingDirectory, homes);
  const isProject = (folder: string) => folder !== '/' && !homes.includes(folder);
  const projects = [directory, repositoryOf(workingDirectory, facts)].filter(isProject);
  return ![workingDirectory, ...projects, ...facts.workspace, ...temporaryFolders()].some((folder) =>
    isWithin(path, folder),
  );
}

/** A project that the user keeps in one of these folders, as in `~/Documents/code/shop`. */
function isInOwnFolder(path: string, workingDirectory: string, homes: readonly string[]): boolean {
  return (
    isWithin(path, workingDirectory) && homes.some((home) => USER_FOLDER.test(workingDirectory.slice(home.length)))
  );
}

/** The repository that contains the working directory, so that all packages of it belong to the project. */
function repositoryOf(workingDirectory: string, { homes, disk }: Pick<MachineFacts, 'homes' | 'disk'>): string {
  for (let folder = workingDirectory; folder !== '/' && !homes.includes(folder); folder = dirname(folder))
    if (disk.exists(`${folder}/.git`)) return folder;
  return workingDirectory;
}

/** The paths that a command removes, as far as they are certain. */
function removed(command: ShellCommand, facts: MachineFacts): UsedPath[] {
  return pathsUsed(command, facts).filter(({ use, certainty }) => use === 'remove' && certainty !== 'unknown');
}

function losesFiles(command: ShellCommand, facts: MachineFacts): boolean {
  const { remote, suspected, directory } = command;
  if (remote !== undefined || suspected) return false;
  return removed(command, facts).some(({ path }) => isOutsideProject(path, directory, facts));
}

/** Whether a path is a document of the user of which no repository keeps an earlier text. */
function isDocument(path: string, { homes, workingDirectory, workspace, disk }: MachineFacts): boolean {
  const home = homes.find((one) => isWithin(path, one));
  if (home === undefined || !USER_FOLDER.test(path.slice(home.length)) || TRANSIENT_FILE.test(path)) return false;
  if (isInOwnFolder(path, workingDirectory, homes) || workspace.some((folder) => isWithin(path, folder))) return false;
  return !disk.exists(`${repositoryOf(dirname(path), { homes, disk })}/.git`);
}

/** A substitution that prints where an installed package is. */
const OF_PACKAGE =
  /[$`].*(?:\b__file__\b|\brequire\.resolve\(|\bimport\.meta\b|\bsite\.getsitepackages\b|\bpip3? show\b|\bgem which\b|\bgo env GOROOT\b)/s;

/** A document of the user is changed in place or replaced by another file, or an installed package is changed. */
function replacesFiles(command: ShellCommand, facts: MachineFacts): boolean {
  const { remote, suspected } = command;
  if (remote !== undefined || suspected) return false;
  const runs = /^(?:find|fd|fdfind)$/.test(command.name) ? commandsWithFoundNames(command) : [command];
  const replaces = runs.some(({ name, args }) => changesInPlace(name, args) || replacesExisting(name, args));
  if ((replaces || writesFiles(command.name)) && command.args.some((arg) => OF_PACKAGE.test(arg))) return true;
  return pathsUsed(command, facts).some(
    ({ path, use, certainty }) =>
      use === 'write' && certainty !== 'unknown' && (replaces || facts.disk.isFile(path)) && isDocument(path, facts),
  );
}

/** Files of the user that do not belong to the project. */
export const OUTSIDE_FILE_RULES: readonly CommandRule[] = [
  {
    rule: 'delete files outside the project',
    commands: ['rm', 'unlink', 'trash', 'trash-put', 'rmtrash'],
    when: losesFiles,
  },
  { rule: 'change files outside the project', byArguments: true, when: replacesFiles },
];
