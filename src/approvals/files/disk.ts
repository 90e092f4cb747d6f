import { lstatSync, opendirSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Larger folders are not listed to match a glob pattern. */
const MAX_ENTRIES = 300;

/** What the guard looks up in the file system: links, identical files and names. Nothing is opened for reading. */
export interface Disk {
  exists(path: string): boolean;
  isFile(path: string): boolean;
  /** The path with symbolic links resolved as far as it exists. Without `followLast`, a link in the last part is not followed. */
  realPath(path: string, followLast: boolean): string;
  /** Which of these files are the same file as `path`, by a hard link. */
  sameFiles(path: string, others: () => Iterable<string>): string[];
  /** The names in a folder; empty if it is missing or large. */
  names(folder: string): string[];
}

/** Looks at the disk of this machine. Each path is looked up once, so use one object for one judgement. */
export function createDisk(): Disk {
  const entries = new Map<string, Stats | undefined>();
  const folders = new Map<string, string>();

  function entryOf(path: string): Stats | undefined {
    if (entries.has(path)) return entries.get(path);
    // Nothing exists below a folder that does not.
    const parent = dirname(path);
    const found = entries.has(parent) && entries.get(parent) === undefined ? undefined : lookUp(path);
    entries.set(path, found);
    return found;
  }

  /** The real path of the longest part that exists, followed by the rest. */
  function realFolder(folder: string): string {
    const known = folders.get(folder);
    if (known !== undefined || folder === dirname(folder)) return known ?? folder;
    const real = entryOf(folder) === undefined ? undefined : resolved(folder);
    const whole = real ?? join(realFolder(dirname(folder)), basename(folder));
    folders.set(folder, whole);
    return whole;
  }

  return {
    exists: (path) => entryOf(path) !== undefined,
    isFile: (path) => entryOf(path)?.isFile() === true,
    realPath(path, followLast) {
      const whole = join(realFolder(dirname(path)), basename(path));
      return followLast && entryOf(whole)?.isSymbolicLink() === true ? resolvedLink(whole) : whole;
    },
    sameFiles(path, others) {
      const file = entryOf(path);
      // Almost every file has one name, so the others are not looked up.
      if (file === undefined || file.nlink < 2 || !file.isFile()) return [];
      return [...others()].filter((other) => {
        const found = other === path ? undefined : entryOf(other);
        return found !== undefined && found.ino === file.ino && found.dev === file.dev;
      });
    },
    // Opening a missing folder throws, which would cost more than the look-up.
    names: (folder) => (entryOf(realFolder(folder))?.isDirectory() === true ? listNames(folder) : []),
  };
}

/** `lstat` without an exception, which would cost more than the call itself. */
function lookUp(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A part of the path is a file, or the name is too long.
    return undefined;
  }
}

function resolved(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    // The link is broken, or a folder above it cannot be searched.
    return undefined;
  }
}

/** The target of a link. Writing through a broken link creates its target, so that counts as well. */
function resolvedLink(path: string): string {
  const real = resolved(path);
  if (real !== undefined) return real;
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return path;
  }
}

function listNames(folder: string): string[] {
  try {
    const opened = opendirSync(folder);
    try {
      const names: string[] = [];
      for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
        names.push(entry.name);
        if (names.length > MAX_ENTRIES) return [];
      }
      return names;
    } finally {
      opened.closeSync();
    }
  } catch {
    // Missing, not a folder, or not readable.
    return [];
  }
}
