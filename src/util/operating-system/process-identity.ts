import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasLinuxFacilities } from './facts.ts';
import { psStartTime } from './ps.ts';
import { createOnce } from '../create-once.ts';
import { runText } from './run-text.ts';

/** Identifies a process, so that other processes can check later whether it still runs. */
export type ProcessIdentity = { pid: number; scope: string };

export function currentProcess(): ProcessIdentity {
  return { pid: process.pid, scope: processScope() };
}

/**
 * Where a pid is valid: on one machine, until it reboots, and within one container. Host names are not enough,
 * because containers can share them.
 */
export function processScope(): string {
  if (!hasLinuxFacilities()) return scopeElsewhere();
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** macOS has an id for each boot. Elsewhere only the host name is known. */
const scopeElsewhere = createOnce(() => runText('sysctl', ['-n', 'kern.bootsessionuuid'])?.trim() || hostname());

/** Whether a process is known to have ended. A process in another scope counts as alive. */
export function hasProcessEnded(other: { pid: number; scope: string | undefined }, ownScope: string): boolean {
  if (other.scope === undefined || other.scope !== ownScope) return false;
  try {
    process.kill(other.pid, 0);
    return false;
  } catch (thrown) {
    // Any other error means that the process exists and belongs to another user.
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/**
 * The start time of a process, which together with its pid is unique on this machine; '' if the process does not
 * exist.
 */
export function processStartTime(pid: number): string {
  if (!hasLinuxFacilities()) return pid === process.pid ? ownStartTime() : psStartTime(pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program name may contain any character, so the fields are read after its last closing parenthesis.
    const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if ('ZX'.includes(state)) return '';
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}:${rest[18]}`;
  } catch {
    return '';
  }
}

/** Every file lock records it, and `ps` takes milliseconds. */
const ownStartTime = createOnce(() => psStartTime(process.pid));
