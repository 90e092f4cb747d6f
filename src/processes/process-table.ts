import type { ProcessTable, SessionProcesses } from '../contracts/index.ts';
import type { ProcessEntry } from './process-entry.ts';
import { createRecovery, describeRecovered, type Recovery } from './recover.ts';
import { adoptOrphan, recordForegroundCommand, type ProcessOwner, startProcess } from './start-process.ts';
import { createTableState, type ProcessTableOptions, type TableState } from './table-state.ts';

export function createProcessTable(options: ProcessTableOptions = {}): ProcessTable {
  const parts = createTableState(options);
  const recovery = createRecovery(parts);
  return {
    notices: parts.notices,
    forSession: (sessionId, environment) => processesOf(parts, recovery, { sessionId, environment }),
    async recover(sessionId, environment) {
      if (recovery.hasBegun(environment)) return;
      const text = describeRecovered(await recovery.recover(environment));
      if (text !== undefined) parts.notices.add(sessionId, 'found', text);
    },
    continueSession(sessionId, childId) {
      parts.continuations.add(sessionId, childId);
      parts.notices.continueSession(sessionId, childId);
      void parts.save();
    },
    forget(sessionId) {
      const { notices, continuations, rows } = parts;
      notices.forget(sessionId);
      // Continuations are needed to find the session that a process belongs to.
      const isNeeded = (entry: ProcessEntry) =>
        entry.sessionId === sessionId || (isRunning(entry) && continuations.newest(entry.sessionId) === sessionId);
      if (!rows.all().some(isNeeded)) continuations.forget(sessionId);
    },
    close: () => close(parts),
  };
}

function processesOf(parts: TableState, recovery: Recovery, starter: ProcessOwner): SessionProcesses {
  const { newest } = parts.continuations;
  return {
    start: (request) => startProcess(parts, request, starter),
    async list() {
      await recovery.recover(starter.environment);
      const own = (entry: ProcessEntry) => newest(entry.sessionId) === newest(starter.sessionId);
      const seen = parts.rows.all().filter((entry) => entry.recovered || own(entry));
      await Promise.all(seen.map((entry) => entry.checkEnded()));
      return seen;
    },
    adopt: (command, left) => adoptOrphan(parts, command, left, starter),
    recordForeground: (command, record) => recordForegroundCommand(parts, command, record, starter),
  };
}

/** Kills the started processes. Recovered ones keep running, because this process did not start them. */
async function close(parts: TableState): Promise<void> {
  const { closed, rows, keepsRunning, tableFile } = parts;
  closed.abort();
  const started = rows.all().filter((entry) => !entry.recovered);
  if (!keepsRunning) await Promise.all(started.map(async (entry) => entry.ending() ?? entry.kill()));
  for (const { id } of rows.all().filter((entry) => !isRunning(entry))) tableFile?.removeOutput(id);
  // If nothing ever ran, there is no table file to update.
  if (rows.all().length > 0 || parts.foreground.size > 0) {
    await tableFile?.save(
      rows
        .all()
        .filter(isRunning)
        .map((entry) => entry.facts()),
    );
  }
  await tableFile?.settled();
}

const isRunning = (entry: ProcessEntry) => entry.ending() === undefined;
