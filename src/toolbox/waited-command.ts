import type { LeftProcess, ProcessRecord, SessionProcesses, WaitedCommand } from '../contracts/index.ts';
import { shorten } from '../util/index.ts';

/** A command that ends sooner is not written down: it would cost more than some commands do. */
const NOTE_AFTER_MS = 1000;
const SHOWN_MEMBERS = 5;
const SHOWN_COMMAND = 60;

/** Has a command that takes long written down while it runs, so that it is found if this program is killed. */
export function noteWhileWaiting(command: WaitedCommand, processes: SessionProcesses | undefined) {
  let timer: NodeJS.Timeout | undefined;
  let noted: Promise<() => void> | undefined;
  return {
    begun(record: ProcessRecord): void {
      timer = setTimeout(() => {
        noted = processes?.noteWaited(command, record);
      }, NOTE_AFTER_MS);
    },
    ended(): void {
      clearTimeout(timer);
      // It could not be written down; that is in the log, and no fault of the command.
      noted?.then((forget) => forget()).catch(() => undefined);
    },
  };
}

/** Puts what a command left running where it can be looked after, in words for the model. */
export async function takeInLeft(
  command: WaitedCommand,
  left: LeftProcess,
  processes: SessionProcesses | undefined,
): Promise<string> {
  const shown = left.members.slice(0, SHOWN_MEMBERS).map(describeMember);
  const more = left.members.length > shown.length ? ` and ${left.members.length - shown.length} more` : '';
  const running = `left running: ${shown.join(', ')}${more}`;
  try {
    if (processes !== undefined)
      return `${running}; in the background now as ${(await processes.adopt(command, left)).id}`;
  } catch {
    // The table is full: it goes on outside, and still ends with the program.
  }
  left.endWithProgram();
  return running;
}

const describeMember = ({ pid, command }: LeftProcess['members'][number]) =>
  `pid ${pid} (${shorten(command, SHOWN_COMMAND)})`;
