import { readlinkSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { guardProject } from './project-guards.ts';
import {
  depthOf,
  findHidden,
  isWithinAny,
  SANDBOX_FOLDER,
  type SandboxArguments,
  type SandboxView,
} from './sandbox-view.ts';

/** One mount: where it is, and the arguments of bubblewrap that create it. */
type Mount = readonly [place: string, ...args: string[]];

/** Folders that the sandbox replaces, so nothing inside them has to be hidden. */
export const REPLACED = ['/tmp', '/run', '/dev', '/proc'];

/**
 * The arguments of bubblewrap, without the command, and the guards of the working directory. Mounts are
 * sorted by depth, so that none covers another: a working directory inside a hidden folder stays visible, and a hidden
 * folder inside the working directory stays hidden.
 */
export function sandboxArguments(view: SandboxView): SandboxArguments {
  const { workingDirectory, addedFolders = [], network, folder } = view;
  const guards = [workingDirectory, ...addedFolders].flatMap(guardProject);
  const isWholeSystem = workingDirectory === '/';
  const visible: Mount[] = [
    ...(isWholeSystem ? [] : [bind(workingDirectory, true)]),
    ...addedFolders.map((path) => bind(path, true)),
    ...view.visible.map(({ path, writable }) => bind(path, writable)),
  ];
  const mounts: Mount[] = [
    ...['/tmp', ...(view.temporaryFolders ?? [])].map(
      (place): Mount => [place, '--bind', join(folder, SANDBOX_FOLDER.tmp), place],
    ),
    ['/run', '--tmpfs', '/run'],
    // As a mount point it cannot be renamed, so that the mounts in it cannot be replaced.
    [folder, '--tmpfs', folder],
    ...visible,
    ...hidingMounts(view, visible),
    ...guards.flatMap(({ writable, readOnly }) => [
      ...writable.map((path) => bind(path, true)),
      ...readOnly.map((path) => bind(path, false)),
    ]),
    ...nameServers(),
  ];
  const args = [
    isWholeSystem ? '--bind' : '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...kernelSettings(),
    ...mounts.sort(([a], [b]) => depthOf(a) - depthOf(b)).flatMap(([, ...words]) => words),
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

function isShownBetween(inner: string, outer: string, shown: readonly string[]): boolean {
  return shown.some((path) => isWithinAny(path, [outer]) && isWithinAny(inner, [path]));
}

/**
 * Root may change the settings of the kernel even without capabilities, because the files belong to it. Through
 * `kernel.core_pattern` alone, a command could run a program outside the sandbox.
 */
function kernelSettings(): string[] {
  if (process.getuid?.() !== 0) return [];
  const places = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'mtrr'].map((name) => `/proc/${name}`);
  return places.flatMap((place) => ['--ro-bind-try', place, place]);
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
