import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hasDied, processScope, startTimeOf } from '../../util/index.ts';

/** Says of each container of ours which programs use it, because the last one that leaves has to end it. */
export interface ContainerLeases {
  /** A folder of its own for each container. */
  folderOf(name: string): string;
  take(name: string, keeps: boolean): ContainerLease;
  /** Containers whose programs have all gone without a word, and whether what is in them is kept. */
  abandoned(): { name: string; keeps: boolean }[];
  forget(name: string): void;
}

export interface ContainerLease {
  /** Gives it back. True if nobody else uses the container. */
  release(): boolean;
}

/** Whether what is in it outlives the program, by the name of a file. */
const KEPT = 'kept';

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
      if (keeps) writeFileSync(join(root, name, KEPT), '');
      const file = join(usersOf(name), `${process.pid}-${randomBytes(6).toString('hex')}`);
      writeFileSync(file, `${process.pid} ${startTimeOf(process.pid)}`);
      return {
        release() {
          rmSync(file, { force: true });
          return !isUsed(name);
        },
      };
    },
    abandoned() {
      // Without any user it was left in good order.
      const left = entriesOf(root).filter((name) => entriesOf(usersOf(name)).length > 0 && !isUsed(name));
      return left.map((name) => ({ name, keeps: entriesOf(join(root, name)).includes(KEPT) }));
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

/** Numbers of processes are given again, so the time of the start has to be the same. */
function isAlive(file: string): boolean {
  try {
    const [pid = '', ...startTime] = readFileSync(file, 'utf8').split(' ');
    if (startTime.join(' ') !== '') return startTimeOf(Number(pid)) === startTime.join(' ');
    // A machine that does not say when a process began says at least whether it is there.
    return Number(pid) > 0 && !hasDied({ pid: Number(pid), scope: processScope() }, processScope());
  } catch {
    return false;
  }
}

type ContainerNaming = { workingDirectory: string; persistent: boolean; rules: readonly unknown[] };

/** The same name for the same folder and rules, so that it is found again; a temporary container gets a random name. */
export function nameContainer({ workingDirectory, persistent, rules }: ContainerNaming): string {
  const folder = basename(workingDirectory)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const own = persistent ? createHash('sha256').update(JSON.stringify(rules)).digest() : randomBytes(6);
  return ['hermes', folder.slice(0, 24), own.toString('hex').slice(0, 12)].filter((part) => part !== '').join('-');
}
