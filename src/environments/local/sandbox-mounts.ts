import { realpathSync, readlinkSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ProjectGuard, guardProject } from './project-guards.ts';

/** What commands in a sandbox see of the machine. */
export type SandboxView = {
  /** The only folder of the user that commands can write. */
  workingDirectory: string;
  /** Whether commands have network access. */
  network: boolean;
  /** Files and folders that are hidden from commands. Missing ones are ignored. */
  hidden: readonly string[];
  /** A folder made by `makeSandboxFolder`. */
  folder: string;
  /** Folders besides /tmp that the private /tmp replaces. */
  temporaryFolders?: readonly string[];
  /** Folders that keep their path inside the sandbox, wherever they are. */
  visible: readonly { path: string; writable: boolean }[];
};

/** The arguments of bubblewrap without the command. The identity changes if a new sandbox would see something else. */
export type SandboxArguments = { args: string[]; guards: ProjectGuard[]; identity: string };

/** One mount: where it is, and the arguments of bubblewrap that create it. */
type Mount = readonly [place: string, ...args: string[]];

/** The subfolders of a sandbox folder: the private /tmp, and what hidden folders and files look like. */
export const SANDBOX_FOLDER = { tmp: 'tmp', emptyFolder: 'empty', emptyFile: 'nothing' } as const;

/** Folders that the sandbox replaces, so nothing inside them has to be hidden. */
export const REPLACED = ['/tmp', '/run', '/dev', '/proc'];

/**
 * Places in the home directory with sockets of services that run commands outside the sandbox: Docker Desktop,
 * Colima, Lima, Rancher Desktop and OrbStack. The other usual ones are in /run.
 */
const SERVICES_IN_HOME = ['.colima', '.lima', '.rd', '.orbstack', '.docker'];
const SERVICES = ['/var/lib/mysql/mysql.sock', '/var/lib/docker', '/var/lib/containerd', '/var/spool/cron'];

/**
 * The arguments of bubblewrap, without the command, and the guards of the working directory. Mounts are
 * sorted by depth, so that none covers another: a working directory inside a hidden folder stays visible, and a hidden
 * folder inside the working directory stays hidden.
 */
export function sandboxArguments(view: SandboxView): SandboxArguments {
  const { workingDirectory, network, folder } = view;
  const guards = guardProject(workingDirectory);
  const isWholeSystem = workingDirectory === '/';
  const visible: Mount[] = [
    ...(isWholeSystem ? [] : [bind(workingDirectory, true)]),
    ...view.visible.map(({ path, writable }) => bind(path, writable)),
  ];
  const mounts: Mount[] = [
    ...['/tmp', ...(view.temporaryFolders ?? [])].map(
      (place): Mount => [place, '--bind', join(folder, SANDBOX_FOLDER.tmp), place],
    ),
    ['/run', '--tmpfs', '/run'],
    ...visible,
    ...hidingMounts(view, visible),
    ...guards.flatMap(({ writable, readOnly }) => [
      ...writable.map((path) => bind(path, true)),
      ...readOnly.map((path) => bind(path, false)),
    ]),
    ...nameServers(),
  ];
  const depth = (place: string) => place.split('/').length;
  const args = [
    isWholeSystem ? '--bind' : '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...mounts.sort(([a], [b]) => depth(a) - depth(b)).flatMap(([, ...words]) => words),
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    ...(network ? [] : ['--unshare-net']),
  ];
  return { args, guards, identity: [...args, ...mounts.map(([place]) => inodeOf(place))].join('\n') };
}

/**
 * If a file is replaced, the mount belongs to the old file, and the new one is visible. The time is included, because
 * file systems reuse the numbers of deleted files.
 */
function inodeOf(place: string): string {
  const stat = statSync(place, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.dev}:${stat.ino}:${stat.birthtimeMs}`;
}

const bind = (path: string, writable: boolean): Mount => [path, writable ? '--bind' : '--ro-bind', path, path];

/** Replaces hidden folders and files with empty ones that cannot be written. */
function hidingMounts({ workingDirectory, hidden, folder }: SandboxView, visible: readonly Mount[]): Mount[] {
  const shown = [workingDirectory, ...visible.map(([place]) => place)];
  const found = findHidden(hidden).filter(
    ({ place }) => !shown.includes(place) && (!isWithinAny(place, REPLACED) || isWithinAny(place, shown)),
  );
  return found.flatMap(({ place, isFolder }): Mount[] => {
    const around = found.filter((other) => other.place !== place && isWithinAny(place, [other.place]));
    // Inside another hidden folder it is visible only if something between them is.
    if (!around.every((other) => isShownBetween(place, other.place, shown))) return [];
    const source = isFolder ? SANDBOX_FOLDER.emptyFolder : SANDBOX_FOLDER.emptyFile;
    // Something visible inside it needs a folder in which its mount point can be created.
    return shown.some((path) => isWithinAny(path, [place]))
      ? [[place, '--tmpfs', place]]
      : [[place, '--ro-bind', join(folder, source), place]];
  });
}

/** The hidden places that exist, with links resolved: a mount on a link would follow it in the wrong file system. */
function findHidden(hidden: readonly string[]): { place: string; isFolder: boolean }[] {
  const places = [...hidden, ...SERVICES_IN_HOME.map((name) => join(homedir(), name)), ...SERVICES];
  const found = new Map<string, boolean>();
  for (const given of places) {
    const stat = statSync(given, { throwIfNoEntry: false });
    if (stat !== undefined) found.set(realpathSync.native(given), stat.isDirectory());
  }
  return [...found].map(([place, isFolder]) => ({ place, isFolder }));
}

function isShownBetween(inner: string, outer: string, shown: readonly string[]): boolean {
  return shown.some((path) => isWithinAny(path, [outer]) && isWithinAny(inner, [path]));
}

export function isWithinAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => folder === '/' || path === folder || path.startsWith(`${folder}/`));
}

/** /run is empty because it contains the sockets of services, but resolv.conf may be a link to a file in there. */
function nameServers(): Mount[] {
  try {
    const target = resolve('/etc', readlinkSync('/etc/resolv.conf'));
    return target.startsWith('/run/') ? [[target, '--ro-bind-try', target, target]] : [];
  } catch {
    return [];
  }
}
