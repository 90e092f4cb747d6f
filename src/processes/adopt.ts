import { newId } from '../base/index.ts';
import { type LeftProcess, ProcessTableFull, type WaitedCommand } from '../contracts/index.ts';
import { createFoundProcess } from './found-process.ts';
import type { ProcessEntry } from './process-entry.ts';
import type { Starter } from './start-process.ts';
import { BUFFER_SIZE, MOST_PROCESSES, type TableParts } from './table-parts.ts';

/** Takes in what a command left running when it ended. */
export async function adopt(
  parts: TableParts,
  { command, workingDirectory: directory }: WaitedCommand,
  left: LeftProcess,
  { sessionId, environment }: Starter,
): Promise<ProcessEntry> {
  const release = parts.rows.reserve();
  if (release === undefined) throw new ProcessTableFull(`${MOST_PROCESSES} background processes run already`);
  try {
    const { clock, events, keepsRunning } = parts;
    if (!keepsRunning) left.endWithProgram();
    const { pid, record } = left;
    const entry = createFoundProcess({
      clock,
      events,
      bufferSize: BUFFER_SIZE,
      printed: '',
      process: left,
      found: false,
      noInput: 'the command that started it has ended, and its input with it',
      facts: {
        id: newId('proc'),
        sessionId,
        command,
        directory,
        place: environment.place,
        pid,
        record,
        startedAt: clock.now(),
        pty: false,
        notifyOnComplete: false,
        ending: undefined,
      },
    });
    left.onOutput(entry.hear);
    parts.rows.add(entry);
    await parts.save();
    return entry;
  } finally {
    release();
  }
}
