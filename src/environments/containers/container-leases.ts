import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hasProcessEnded, processScope, processStartTime } from '../../util/index.ts';

/** Records which processes use a container, because the last one must stop it. */
export interface ContainerLeases {
  /** The folder of a container. */
  folderOf(name: string): string;
  take(name: string, keeps: boolean): ContainerLease;
  /** Containers whose processes have all died without releasing them, with whether they are persistent. */
  abandoned(): { name: string; keeps: boolean }[];
  forget(name: string): void;
}

export interface ContainerLease {
  /** Releases the lease. True if no other process uses the container. */
  release(): boolean;
}

/** The name of the file that marks a persistent container. */
const PERSISTENT_FILE = 'kept';

export function createContainerLeases(root: string): ContainerLeases {
  const usersOf = (name: string) => join(root, name, 'users');

  function isUsed(name: string): boolean {
    for (const user of entriesOf(usersOf(name))) {
      if (isAlive(join(usersOf(name), user))) return true;
      rmSync(join(usersOf(name), user), { force: true });
    }
    return false;
  }

  return {
    folderOf: (name) => join(root, name),
    take(name, keeps) {
      mkdirSync(usersOf(name), { recursive: true, mode: 0o700 });
      mkdirSync(join(root, name, 'work'), { recursive: true, mode: 0o700 });
      if (keeps) writeFileSync(join(root, name, PERSISTENT_FILE), '');
      const file = join(usersOf(name), `${process.pid}-${randomBytes(6).toString('hex')}`);
      writeFileSync(file, `${process.pid} ${processStartTime(process.pid)}`);
      return {
        release() {
          rmSync(file, { force: true });
          return !isUsed(name);
        },
      };
    },
    abandoned() {
      // A container without users was released properly.
      const left = entriesOf(root).filter((name) => entriesOf(usersOf(name)).length > 0 && !isUsed(name));
      return left.map((name) => ({ name, keeps: entriesOf(join(root, name)).includes(PERSISTENT_FILE) }));
    },
    forget: (name) => rmSync(join(root, name), { recursive: true, force: true }),
  };
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Pids are reused, so the start time must match as well. */
function isAlive(file: string): boolean {
  try {
    const [pid = '', ...startTime] = readFileSync(file, 'utf8').split(' ');
    if (startTime.join(' ') !== '') return processStartTime(Number(pid)) === startTime.join(' ');
    // Without a start time, check only whether the pid exists.
    return Number(pid) > 0 && !hasProcessEnded({ pid: Number(pid), scope: processScope() }, processScope());
  } catch {
    return false;
  }
}

type ContainerNaming = { workingDirectory: string; persistent: boolean; rules: readonly unknown[] };

/**
 * The same folder and settings give the same name, so that a persistent container is found again; a temporary one
 * gets a random name.
 */
export function nameContainer({ workingDirectory, persistent, rules }: ContainerNaming): string {
  const folder = basename(workingDirectory)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const own = persistent ? createHash('sha256').update(JSON.stringify(rules)).digest() : randomBytes(6);
  return ['hermes', folder.slice(0, 24), own.toString('hex').slice(0, 12)].filter((part) => part !== '').join('-');
}
