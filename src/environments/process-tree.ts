import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** How long a process may go on after SIGTERM before it is killed. */
const TERMINATION_GRACE_MS = 2000;
/** How long SIGKILL may take to show. */
const KILL_MS = 500;

/** A process and everything it started, wherever that went. */
export type ProcessTree = {
  pid: number;
  /** Somewhere in the environment of all its processes. */
  mark: string;
  /** Processes of this name are not asked to end: they do it by themselves, and take all others down with them. */
  holder?: string;
  /** Only what stayed in the group of its first process, and minds when that hangs up; `nohup` and daemons do neither. */
  onlyGroup?: boolean;
};

type Entry = { pid: number; parent: number; group: number; name: string; inGroup: boolean };

/** Ends a tree: SIGTERM, and after a grace SIGKILL. True as soon as nothing of it runs. */
export async function endTree(tree: ProcessTree): Promise<boolean> {
  const begun = performance.now();
  const asked = new Set<number>();
  // Counted from the first kill: on a busy machine there may be no moment between the end of the grace and that of this.
  let killedAt: number | undefined;
  for (let pause = 5; askToEnd(tree, asked); pause = Math.min(pause * 2, 100)) {
    if (killedAt !== undefined && performance.now() - killedAt > KILL_MS) return false;
    if (performance.now() - begun > TERMINATION_GRACE_MS) {
      killTree(tree);
      killedAt ??= performance.now();
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return true;
}

/**
 * Asks whom it has not asked before, since some may have been started while others were being asked. True while anything
 * of the tree runs.
 */
function askToEnd(tree: ProcessTree, asked: Set<number>): boolean {
  const members = findMembers(tree);
  for (const { pid, name } of members ?? [{ pid: -tree.pid, name: '' }]) {
    if (name !== tree.holder && !asked.has(pid)) signal(pid, 'SIGTERM');
    asked.add(pid);
  }
  return members === undefined ? signal(-tree.pid, 0) : members.length > 0;
}

/**
 * Ends a tree at once. They are stopped first, and looked for again, so that none gets away by starting another. None is
 * killed before all are known: a child whose parent is gone, and which dropped its mark, could not be found any more.
 */
export function killTree(tree: ProcessTree): void {
  let known = -1;
  for (let members = findMembers(tree) ?? []; members.length > known; members = findMembers(tree) ?? []) {
    known = members.length;
    for (const { pid } of members) signal(pid, 'SIGSTOP');
  }
  const members = findMembers(tree);
  for (const { pid } of members ?? []) signal(pid, 'SIGKILL');
  // Where the system can tell, all are known by now, and the number may be that of another group.
  if (members === undefined) signal(-tree.pid, 'SIGKILL');
}

/** What is left in the group of a process that has ended, with the words it was started with. */
export function findLeft(tree: ProcessTree): { pid: number; command: string }[] {
  // One question to the system where nothing is left, as is the rule.
  if (!signal(-tree.pid, 0)) return [];
  return (findMembers({ ...tree, onlyGroup: true }) ?? []).map(({ pid, name }) => ({
    pid,
    command: commandOf(pid, name),
  }));
}

function commandOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || name;
  } catch {
    return name;
  }
}

/** Whether anything of a tree still runs. */
export function isTreeAlive(tree: ProcessTree): boolean {
  const members = findMembers(tree);
  return members === undefined ? signal(-tree.pid, 0) : members.length > 0;
}

/**
 * Kills the process group that a detached child leads and stops reading its output. It sends SIGKILL, because a process
 * that hangs does not react to anything milder.
 */
export function killProcessGroup(child: Pick<ChildProcess, 'pid' | 'stdout' | 'stderr' | 'kill'>): void {
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The platform has no process groups, or nothing is left in this one.
    child.kill('SIGKILL');
  }
}

/**
 * What runs of a tree: children and their children, its group and its session, and whatever carries its mark. The last
 * are those that went into a session of their own and whose parent has ended. Undefined where the system cannot tell.
 */
function findMembers(tree: ProcessTree): Entry[] | undefined {
  let entries: Entry[];
  try {
    entries = readdirSync('/proc').flatMap((name) => (/^\d/.test(name) ? (readEntry(name, tree.pid) ?? []) : []));
  } catch {
    return undefined;
  }
  if (tree.onlyGroup) return entries.filter((entry) => isLeft(entry, tree));
  const members = new Set(
    entries.filter((entry) => entry.inGroup || hasMark(entry.pid, tree.mark)).map(({ pid }) => pid),
  );
  for (let before = -1; before < members.size; ) {
    before = members.size;
    for (const { pid, parent } of entries) if (members.has(parent)) members.add(pid);
  }
  // This program carries the mark of whoever started it, never one of its own.
  members.delete(process.pid);
  return entries.filter(({ pid }) => members.has(pid));
}

/** The name of a program may hold anything, so what counts is read from behind its last parenthesis. */
function readEntry(pid: string, root: number): Entry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const end = stat.lastIndexOf(')');
    const [state = '', parent, group, session] = stat.slice(end + 2).split(' ');
    // What has ended and was not yet collected by its parent does not run.
    if ('ZX'.includes(state)) return undefined;
    const inGroup = [Number(pid), Number(group), Number(session)].includes(root);
    const numbers = { pid: Number(pid), parent: Number(parent), group: Number(group) };
    return { ...numbers, inGroup, name: stat.slice(stat.indexOf('(') + 1, end) };
  } catch {
    return undefined;
  }
}

/** The number of a group may be given to another one; the mark is not. */
function isLeft({ pid, group }: Entry, tree: ProcessTree): boolean {
  return group === tree.pid && hasMark(pid, tree.mark) && !ignoresHangUp(pid);
}

/** The lowest bit stands for the first signal. */
function ignoresHangUp(pid: number): boolean {
  try {
    return /^SigIgn:\s*[0-9a-f]*[13579bdf]$/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return false;
  }
}

function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).includes(mark);
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
