import { newId } from '../base/index.ts';
import type { ProcessRecord, WaitedCommand } from '../contracts/index.ts';
import type { ProcessFacts } from './process-entry.ts';
import type { Starter } from './start-process.ts';
import type { TableParts } from './table-parts.ts';

/** Writes down a command of the foreground; it stands beside the rows, because nobody looks after it with a tool. */
export async function noteWaited(
  parts: TableParts,
  { command, workingDirectory: directory }: WaitedCommand,
  record: ProcessRecord,
  { sessionId, environment }: Starter,
): Promise<() => void> {
  const id = newId('proc');
  const facts: ProcessFacts = {
    id,
    sessionId,
    command,
    directory,
    place: environment.place,
    record,
    pid: record.pid,
    startedAt: parts.clock.now(),
    pty: false,
    notifyOnComplete: false,
    ending: undefined,
  };
  parts.waited.set(id, facts);
  await parts.save();
  return () => {
    parts.waited.delete(id);
    if (!parts.closed.signal.aborted) void parts.save();
  };
}
