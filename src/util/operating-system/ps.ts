import { operatingSystem } from './facts.ts';
import type { ProcessEntry, ProcessList } from './process-list.ts';
import { runText } from './run-text.ts';

const LINE = /^ *(\d+) +(\d+) +(\d+) +(\S+) +(.*)$/;
/** Every environment has one of these; without them, the system does not show the environment. */
const ENVIRONMENT = / (?:PATH|HOME|PWD|USER)=/;

/** All processes as `ps` lists them; undefined if it is missing or has other options. */
export function readPsProcesses(): ProcessList | undefined {
  // The mask of ignored signals is a column on Linux only.
  const hasMask = operatingSystem() === 'linux';
  const columns = ['pid', 'ppid', 'pgid', 'stat', ...(hasMask ? ['ignored'] : []), 'command'];
  // Both list all processes, with their environments after the command lines.
  const options = hasMask ? ['axeww'] : ['-A', '-E', '-ww'];
  const output = runText('ps', [...options, ...columns.flatMap((name) => ['-o', `${name}=`])]);
  return output === undefined ? undefined : parsePsOutput(output, hasMask);
}

export function parsePsOutput(output: string, hasMask: boolean): ProcessList {
  const texts = new Map<number, string>();
  const entries = output.split('\n').flatMap((line): ProcessEntry[] => {
    const [, pid, parent, group, state = '', text = ''] = LINE.exec(line) ?? [];
    // Zombies do not run.
    if (pid === undefined || /^[ZX]/.test(state)) return [];
    texts.set(Number(pid), text);
    const command = hasMask ? text.slice(text.indexOf(' ') + 1) : text;
    const name = command.split(' ')[0]?.split('/').at(-1) ?? '';
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: undefined, name }];
  });
  return {
    entries,
    hasTag(pid, tag) {
      const text = texts.get(pid) ?? '';
      return text.includes(tag) || (ENVIRONMENT.test(text) ? false : undefined);
    },
    // The lowest bit of the mask is SIGHUP.
    ignoresHangup: (pid) => hasMask && /^[0-9a-f]*[13579bdf] /.test(texts.get(pid) ?? ''),
    commandLine: (pid) => runText('ps', ['-ww', '-o', 'command=', '-p', String(pid)])?.trim() ?? '',
  };
}

/** The start time of a process to the second, without spaces; '' if it does not run. */
export function psStartTime(pid: number): string {
  const line = runText('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)])?.trim() ?? '';
  const [, state = '', started = ''] = /^(\S+)\s+(.+)$/.exec(line) ?? [];
  return /^[ZX]/.test(state) ? '' : started.replace(/\s+/g, '_');
}
