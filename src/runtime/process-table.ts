import { readdirSync } from 'node:fs';
import type { Environment, ProcessTable, SessionProcesses } from '../contracts/index.ts';

type Options = Parameters<typeof import('../processes/index.ts').createProcessTable>[0] & { folder: string };

/** The process table, loaded on first use, because most runs of Hermes never need it. */
export function createLazyProcessTable(options: Options): ProcessTable {
  let loading: Promise<ProcessTable> | undefined;
  const load = () =>
    (loading ??= import('../processes/index.ts').then(({ createProcessTable }) => createProcessTable(options)));
  return {
    forSession: (sessionId, environment) => loadedProcesses(load, sessionId, environment),
    notices: {
      async deliver(sessionId, deliver) {
        if (loading !== undefined) return (await loading).notices.deliver(sessionId, deliver);
        await deliver(undefined);
        return undefined;
      },
    },
    async recover(sessionId, environment) {
      if (hasFiles(options.folder)) await (await load()).recover(sessionId, environment);
    },
    continueSession(sessionId, childId) {
      // If the table is not loaded, the session has no processes to move.
      void loading?.then((table) => table.continueSession(sessionId, childId));
    },
    forget(sessionId) {
      void loading?.then((table) => table.forget(sessionId));
    },
    async close() {
      await (await loading)?.close();
    },
  };
}

function loadedProcesses(
  load: () => Promise<ProcessTable>,
  sessionId: string,
  environment: Environment,
): SessionProcesses {
  const loaded = async () => (await load()).forSession(sessionId, environment);
  return {
    start: async (request) => (await loaded()).start(request),
    list: async () => (await loaded()).list(),
    adopt: async (command, left) => (await loaded()).adopt(command, left),
    recordForeground: async (command, record) => (await loaded()).recordForeground(command, record),
  };
}

/** Whether a running or an earlier Hermes process left a process table file. */
function hasFiles(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}
