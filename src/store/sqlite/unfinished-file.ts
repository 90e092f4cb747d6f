import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasDied, processScope } from '../../util/index.ts';

/** What a database is called while it is being written: with the process in it, so that two of them do not meet. */
export function unfinishedName(target: string): string {
  return `${target}.${process.pid}.tmp`;
}

/**
 * Takes away what stopped or failed before it had its name: our own, and what processes left that were killed, because
 * such a file can be as large as all sessions together.
 */
export function removeUnfinished(target: string): void {
  const scope = processScope();
  for (const name of readdirSync(dirname(target))) {
    if (!name.startsWith(`${basename(target)}.`)) continue;
    const [, pid] = /^\.(\d+)\.tmp(?:-wal|-shm|-journal)?$/.exec(name.slice(basename(target).length)) ?? [];
    if (pid === undefined) continue;
    const isOver = Number(pid) === process.pid || hasDied({ pid: Number(pid), scope }, scope);
    if (isOver) rmSync(join(dirname(target), name), { force: true });
  }
}
