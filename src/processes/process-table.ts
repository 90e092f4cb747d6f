import type { ProcessTable } from '../contracts/index.ts';
import { nameProcess } from './describe-process.ts';
import type { ProcessEntry } from './process-entry.ts';
import { createRecovery } from './recover.ts';
import { startProcess } from './start-process.ts';
import { createTableParts, type ProcessTableOptions, type TableParts } from './table-parts.ts';

export function createProcessTable(options: ProcessTableOptions = {}): ProcessTable {
  const parts = createTableParts(options);
  const recovery = createRecovery(parts);
  return {
    notices: parts.notices,
    forSession: (sessionId, environment) => ({
      start: (request) => startProcess(parts, request, { sessionId, environment }),
      async list() {
        await recovery.recover(environment);
        const own = parts.rows.all().filter((entry) => entry.found || entry.sessionId === sessionId);
        await Promise.all(own.map((entry) => entry.look()));
        return own;
      },
    }),
    async recover(sessionId, environment) {
      if (recovery.hasBegun(environment)) return;
      const running = (await recovery.recover(environment)).filter((entry) => entry.ending() === undefined);
      if (running.length > 0) parts.notices.add(sessionId, 'found', describeFound(running));
    },
    moveSession(from, to) {
      for (const entry of parts.rows.all()) if (entry.sessionId === from) entry.sessionId = to;
      parts.notices.move(from, to);
      if (parts.rows.all().length > 0) void parts.save();
    },
    close: () => close(parts),
  };
}

/** What was found again was started by someone else, and is not this program's to end. */
async function close({ closed, rows, keepsRunning, checkpoint }: TableParts): Promise<void> {
  closed.abort();
  const started = rows.all().filter((entry) => !entry.found);
  if (!keepsRunning) await Promise.all(started.map(async (entry) => entry.ending() ?? entry.kill()));
  const [running, ended] = [rows.all().filter(isRunning), rows.all().filter((entry) => !isRunning(entry))];
  for (const { id } of ended) checkpoint?.removeOutput(id);
  // Nothing is left to be found where nothing runs.
  if (rows.all().length > 0) await checkpoint?.save(running);
  await checkpoint?.settled();
}

const isRunning = (entry: ProcessEntry) => entry.ending() === undefined;

function describeFound(found: readonly ProcessEntry[]): string {
  const list = found.map((entry) => `- ${nameProcess(entry)}, pid ${entry.pid}`).join('\n');
  return `An earlier run of Hermes was killed. Of what it had started in the background this still runs:\n${list}`;
}
