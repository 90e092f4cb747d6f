import { readdirSync, readFileSync } from 'node:fs';
import { hasLinuxFacilities } from './facts.ts';
import { readPsProcesses } from './ps.ts';

export type ProcessEntry = {
  pid: number;
  parent: number;
  group: number;
  /** Undefined if the system does not show it. */
  session: number | undefined;
  name: string;
};

/** The running processes of this machine at one moment. */
export interface ProcessList {
  readonly entries: readonly ProcessEntry[];
  /** Whether the environment of a process contains a text; undefined if the system does not show it. */
  hasTag(pid: number, tag: string): boolean | undefined;
  /** False as well if the system does not show it. */
  ignoresHangup(pid: number): boolean;
  /** The program with its arguments; '' if they are not known. */
  commandLine(pid: number): string;
}

/** Lists all processes; undefined if neither /proc nor `ps` can do that. */
export function readProcesses(): ProcessList | undefined {
  if (!hasLinuxFacilities()) return readPsProcesses();
  try {
    const entries = readdirSync('/proc').flatMap((name) => (/^\d/.test(name) ? (readEntry(name) ?? []) : []));
    return { entries, hasTag, ignoresHangup, commandLine };
  } catch {
    return undefined;
  }
}

/** The program name may contain any characters, so the fields are read after its last parenthesis. */
function readEntry(pid: string): ProcessEntry | undefined {
  const stat = readProc(pid, 'stat');
  const end = stat.lastIndexOf(')');
  const [state = '', parent, group, session] = stat.slice(end + 2).split(' ');
  // Zombies do not run.
  if (end < 0 || 'ZX'.includes(state)) return undefined;
  const name = stat.slice(stat.indexOf('(') + 1, end);
  return { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(session), name };
}

function hasTag(pid: number, tag: string): boolean {
  return readProc(pid, 'environ').includes(tag);
}

/** The lowest bit of the mask is SIGHUP. */
function ignoresHangup(pid: number): boolean {
  return /^SigIgn:\s*[0-9a-f]*[13579bdf]$/m.test(readProc(pid, 'status'));
}

function commandLine(pid: number): string {
  return Buffer.from(readProc(pid, 'cmdline'), 'latin1').toString().replaceAll('\0', ' ').trim();
}

/** '' if the process has ended or belongs to another user. */
function readProc(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
