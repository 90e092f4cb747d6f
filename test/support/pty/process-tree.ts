import { execFileSync } from 'node:child_process';

/** A process and all its descendants, parents first. */
export function processTree(root: number): { pid: number; command: string }[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, pid, parent, command = '']) => ({ pid: Number(pid), parent: Number(parent), command }));
  const found = table.filter(({ pid }) => pid === root);
  for (const { pid } of found) found.push(...table.filter(({ parent }) => parent === pid));
  return found;
}

/** Kills a process and all its descendants. */
export function killTree(root: number): void {
  for (const { pid } of processTree(root)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already exited.
    }
  }
}
