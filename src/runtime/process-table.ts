import { readdirSync } from 'node:fs';
import type { ProcessTable } from '../contracts/index.ts';

type Options = Parameters<typeof import('../processes/index.ts').createProcessTable>[0] & { folder: string };

/** The table of background processes, loaded when it is first needed: most starts never do. */
export function createRuntimeTable(options: Options): ProcessTable {
  let loading: Promise<ProcessTable> | undefined;
  const load = () =>
    (loading ??= import('../processes/index.ts').then(({ createProcessTable }) => createProcessTable(options)));
  return {
    forSession: (sessionId, environment) => ({
      start: async (request) => (await load()).forSession(sessionId, environment).start(request),
      list: async () => (await load()).forSession(sessionId, environment).list(),
    }),
    notices: {
      async deliver(sessionId, deliver) {
        if (loading !== undefined) return (await loading).notices.deliver(sessionId, deliver);
        await deliver(undefined);
        return undefined;
      },
    },
    moveSession: (from, to) => void loading?.then((table) => table.moveSession(from, to)),
    async recover(sessionId, environment) {
      if (hasFiles(options.folder)) await (await load()).recover(sessionId, environment);
    },
    async close() {
      await (await loading)?.close();
    },
  };
}

/** Something runs beside this program, or ran before it. */
function hasFiles(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}
