import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process as others can look for it later. */
export type ProcessMark = { pid: number; scope: string };

export function markProcess(): ProcessMark {
  return { pid: process.pid, scope: processScope() };
}

/**
 * Process numbers mean something only on one machine, until it is started anew, and not across the walls of a container;
 * containers can even share a host name.
 */
export function processScope(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Whether a process is known to be gone. One that cannot be seen from here counts as alive. */
export function hasDied(other: { pid: number; scope: string | undefined }, ownScope: string): boolean {
  if (other.scope === undefined || other.scope !== ownScope) return false;
  try {
    process.kill(other.pid, 0);
    return false;
  } catch (thrown) {
    // Anything else means that it is there and belongs to someone else.
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** When a process began, in a form that no other process of this machine has with the same number; '' if it is gone. */
export function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of a program may hold anything, so what counts is read from behind its last parenthesis.
    const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if ('ZX'.includes(state)) return '';
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}:${rest[18]}`;
  } catch {
    return '';
  }
}
