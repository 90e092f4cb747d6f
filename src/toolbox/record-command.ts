import type { ForegroundCommand, ProcessRecord, SessionProcesses } from '../contracts/index.ts';

/** Commands that finish sooner are not recorded, because recording would take longer than they do. */
const RECORD_AFTER_MS = 25;

/** Records a foreground command while it runs, so that the next start finds it if Hermes is killed. */
export function recordWhileRunning(command: ForegroundCommand, processes: SessionProcesses | undefined) {
  let timer: NodeJS.Timeout | undefined;
  let recorded: Promise<() => void> | undefined;
  return {
    begun(record: ProcessRecord): void {
      timer = setTimeout(() => {
        recorded = processes?.recordForeground(command, record);
      }, RECORD_AFTER_MS);
    },
    ended(): void {
      clearTimeout(timer);
      // A failure to record it is logged and does not fail the command.
      recorded?.then((forget) => forget()).catch(() => undefined);
    },
  };
}
