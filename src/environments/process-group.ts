import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Signals a child and all it started. False where nothing of the group is left. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}

/** Whether anything of a child's group still runs. What has ended and was not yet collected by its parent does not. */
export function isGroupAlive(child: ChildProcess): boolean {
  if (!signalGroup(child, 0)) return false;
  try {
    return readdirSync('/proc').some((name) => /^\d+$/.test(name) && runsInGroup(name, child.pid));
  } catch {
    // No /proc here, as on macOS: the signal's word counts.
    return true;
  }
}

/** The name of a program may hold anything, so what counts is read from behind its last parenthesis. */
function runsInGroup(name: string, group: number | undefined): boolean {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
    const [state = '', , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(processGroup) === group && !'ZX'.includes(state);
  } catch {
    return false;
  }
}

/** The commands that run right now. */
export interface RunningCommands {
  add(child: ChildProcess): void;
  remove(child: ChildProcess): void;
}

/**
 * Ends what still runs when the program leaves. In a group of its own a command does not see the Ctrl-C of the
 * terminal, and would go on without anyone.
 */
export function createRunningCommands(): RunningCommands {
  const running = new Set<ChildProcess>();
  const endAll = () => {
    for (const child of running) signalGroup(child, 'SIGKILL');
  };
  return {
    add(child) {
      // One listener for all, and none while nothing runs.
      if (running.size === 0) process.once('exit', endAll);
      running.add(child);
    },
    remove(child) {
      running.delete(child);
      if (running.size === 0) process.off('exit', endAll);
    },
  };
}
