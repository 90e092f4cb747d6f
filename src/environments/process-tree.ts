import type { ChildProcess } from 'node:child_process';
import { type ProcessEntry, type ProcessList, readProcesses } from '../util/index.ts';

/** How long a process may run after SIGTERM before it is killed. */
const TERMINATION_GRACE_MS = 2000;
/** How long to wait for processes to disappear after SIGKILL. */
const KILL_MS = 500;

/** A process and everything it started, including processes in other groups and sessions. */
export type ProcessTree = {
  pid: number;
  /** The process tag, which the environment of each of its processes contains. */
  tag: string;
  /** Processes of this name get no SIGTERM: they exit by themselves and end all others. */
  supervisor?: string | undefined;
  /**
   * Include only processes in the group of the first process that do not ignore SIGHUP; this excludes `nohup` and
   * daemons.
   */
  onlyGroup?: boolean;
};

/** Terminates a process tree: SIGTERM, and SIGKILL after a grace period. True as soon as no process is left. */
export async function terminateTree(tree: ProcessTree): Promise<boolean> {
  const begun = performance.now();
  const asked = new Set<number>();
  // Counted from the first SIGKILL, because on a busy machine the grace period and this limit may elapse together.
  let killedAt: number | undefined;
  for (let pause = 5; sendTermOnce(tree, asked); pause = Math.min(pause * 2, 100)) {
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
 * Sends SIGTERM once to each process, including those that were started in the meantime. True while any process is
 * left.
 */
function sendTermOnce(tree: ProcessTree, asked: Set<number>): boolean {
  const members = findMembers(tree);
  for (const { pid, name } of members ?? [{ pid: -tree.pid, name: '' }]) {
    if (name !== tree.supervisor && !asked.has(pid)) signal(pid, 'SIGTERM');
    asked.add(pid);
  }
  return members === undefined ? signal(-tree.pid, 0) : members.length > 0;
}

/**
 * Kills a process tree immediately. All processes are stopped first, until no new ones appear, so that none escapes
 * by forking. None is killed before all are known, because an orphaned child without the process tag could no longer
 * be found.
 */
export function killTree(tree: ProcessTree): void {
  let known = -1;
  for (let members = findMembers(tree) ?? []; members.length > known; members = findMembers(tree) ?? []) {
    known = members.length;
    for (const { pid } of members) signal(pid, 'SIGSTOP');
  }
  const members = findMembers(tree);
  for (const { pid } of members ?? []) signal(pid, 'SIGKILL');
  // The group is killed only if processes cannot be listed: otherwise all members are known, and the group id may have
  // been reused.
  if (members === undefined) signal(-tree.pid, 'SIGKILL');
}

/** The pids of all running processes of a tree; empty if processes cannot be listed on this system. */
export function listTree(tree: ProcessTree): number[] {
  return (findMembers(tree) ?? []).map(({ pid }) => pid);
}

/** The processes left in the group of a finished command, with their command lines. */
export function findOrphans(tree: ProcessTree): { pid: number; command: string }[] {
  // One system call in the usual case that nothing is left.
  if (!signal(-tree.pid, 0)) return [];
  const list = readProcesses();
  return membersOf({ ...tree, onlyGroup: true }, list).map(({ pid, name }) => ({
    pid,
    command: list?.commandLine(pid) || name,
  }));
}

/** Whether any process of a tree is running. */
export function isTreeAlive(tree: ProcessTree): boolean {
  const members = findMembers(tree);
  return members === undefined ? signal(-tree.pid, 0) : members.length > 0;
}

/**
 * Kills the process group of a detached child and stops reading its output. It sends SIGKILL, because a process that
 * hangs may not react to other signals.
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

/** The running processes of a tree; undefined if processes cannot be listed on this system. */
function findMembers(tree: ProcessTree): ProcessEntry[] | undefined {
  const list = readProcesses();
  return list === undefined ? undefined : membersOf(tree, list);
}

/**
 * The running processes of a tree: descendants, its group and session, and everything with its process tag. The tag
 * finds processes that changed their session and lost their parent.
 */
function membersOf(tree: ProcessTree, list: ProcessList | undefined): ProcessEntry[] {
  if (list === undefined) return [];
  const { entries } = list;
  if (tree.onlyGroup) return entries.filter((entry) => isOrphan(entry, tree, list));
  const isOwn = ({ pid, group, session }: ProcessEntry) =>
    [pid, group, session].includes(tree.pid) || list.hasTag(pid, tree.tag) === true;
  const members = new Set(entries.filter(isOwn).map(({ pid }) => pid));
  for (let before = -1; before < members.size; ) {
    before = members.size;
    for (const { pid, parent } of entries) if (members.has(parent)) members.add(pid);
  }
  // This process may carry the tag of the process that started it.
  members.delete(process.pid);
  return entries.filter(({ pid }) => members.has(pid));
}

/** Checks the process tag in addition to the group, because the group id may have been reused. */
function isOrphan({ pid, group }: ProcessEntry, tree: ProcessTree, list: ProcessList): boolean {
  return group === tree.pid && list.hasTag(pid, tree.tag) !== false && !list.ignoresHangup(pid);
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
