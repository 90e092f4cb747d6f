import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { isStartingFile } from './own-files.ts';

const PACKAGE = 'hermes-agent-ts';
/** How many parent folders are searched for the package that a file belongs to. */
const MAX_PARENTS = 4;
/** How long the result of a search for another program is used. A new link is found after this time at the latest. */
const CACHE_MS = 2000;
const MAX_NAMES = 500;
/** The names under which Hermes is installed or fetched: `hermes`, `hermes.js`, `hermes-agent-ts@1.2`. */
const OWN_NAME = /^hermes(?:-agent)?(?:-ts)?(?:@[^/]*)?(?:\.(?:[cm]?js|ts|cmd|exe|ps1|sh))?$/i;

/** The running program: what a command must not start or end without approval. */
export interface OwnProgram {
  /** This process and its parent. */
  readonly pids: readonly number[];
  /** The command line of this process, which `pkill -f` matches. */
  readonly commandLine: string;
  /** Whether an absolute path is a file of this program, under any name: a link, a hard link, a copy of the package. */
  isOwnFile(path: string): boolean;
  /** Whether a command name leads to this program through a link in one of the folders of `PATH`. */
  isOwnOnPath(name: string, path: string): boolean;
}

/** Whether the last part of a path or of a package specifier is a name of Hermes. */
export function isOwnName(word: string): boolean {
  return OWN_NAME.test(word.slice(word.lastIndexOf('/') + 1));
}

/** Whether code that imports this module loads Hermes. */
export function isOwnModule(name: string): boolean {
  if (name === PACKAGE || name.startsWith(`${PACKAGE}/`) || /(?:^|\/)hermes\.[cm]?js$/.test(name)) return true;
  return isStartingFile(name);
}

/** Describes this process. Looks at the disk when it is asked for the first time. */
export function createOwnProgram(): OwnProgram {
  /** Names that lead to another program, and until when this is assumed. */
  const others = new Map<string, number>();
  let known: { root: string | undefined; entries: readonly Stats[] } | undefined;
  const own = () => (known ??= findOwnFiles());
  const isEntry = (file: Stats) => own().entries.some(({ dev, ino }) => dev === file.dev && ino === file.ino);
  return {
    pids: [process.pid, process.ppid],
    // Empty if another program, such as a test runner, uses this code.
    get commandLine() {
      const file = process.argv[1] === undefined ? undefined : statOf(process.argv[1]);
      return file !== undefined && isEntry(file) ? [process.title, ...process.argv].join(' ') : '';
    },
    isOwnFile(path) {
      const file = statOf(path);
      if (file === undefined || !file.isFile()) return false;
      return isEntry(file) || isInPackage(path, own().root);
    },
    isOwnOnPath(name, path) {
      const key = `${name} ${path}`;
      if ((others.get(key) ?? 0) > Date.now()) return false;
      for (const folder of path.split(':')) {
        if (!folder.startsWith('/')) continue;
        const file = statOf(`${folder}/${name}`);
        if (file?.isFile() !== true) continue;
        if (isEntry(file)) return true;
        if (others.size > MAX_NAMES) others.clear();
        others.set(key, Date.now() + CACHE_MS);
        return false;
      }
      return false;
    },
  };
}

function findOwnFiles(): { root: string | undefined; entries: readonly Stats[] } {
  const root = packageOf(import.meta.dirname)?.folder;
  if (root === undefined) return { root, entries: [] };
  const started = process.argv[1] === undefined ? [] : [realPath(process.argv[1])];
  const files = [
    ...started.filter((file) => isStartingPart(file, root)),
    join(root, 'bin/hermes.js'),
    join(root, 'dist/cli.js'),
  ];
  return { root, entries: files.flatMap((file) => statOf(file) ?? []) };
}

/** The parts of the package that start it. Scripts and tests of its repository are ordinary programs. */
const STARTING_PARTS = /^(?:bin|dist|src\/(?:index\.ts|surfaces\/cli))(?:\/|$)/;

function isStartingPart(path: string, root: string): boolean {
  return path.startsWith(root + sep) && STARTING_PARTS.test(path.slice(root.length + 1));
}

/** Whether a file is one that starts Hermes, in the running package or in another copy of it. */
function isInPackage(path: string, root: string | undefined): boolean {
  const real = realPath(path);
  if (root !== undefined && real.startsWith(root + sep)) return isStartingPart(real, root);
  const found = packageOf(dirname(real));
  return found?.name === PACKAGE && isStartingPart(real, found.folder);
}

/** The nearest package above a folder. */
function packageOf(folder: string): { name: unknown; folder: string } | undefined {
  let at = folder;
  for (let level = 0; level <= MAX_PARENTS && dirname(at) !== at; level += 1, at = dirname(at)) {
    try {
      const found: unknown = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
      return { name: (found as { name?: unknown } | null)?.name, folder: at };
    } catch {
      // No package.json here, or an invalid one: the next folder decides.
    }
  }
  return undefined;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A folder that cannot be searched, or a link that leads to itself.
    return undefined;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
