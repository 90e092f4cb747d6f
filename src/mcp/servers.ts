import type { McpServerSettings } from '../config/index.ts';
import { createServer, type McpServer, type ServerParts, type ServerReport } from './server.ts';
import type { McpTool } from './server-tools.ts';

/** All servers that the settings name and do not switch off. */
export interface McpServers {
  /** What is known now; answers from memory. */
  tools(server: string): readonly McpTool[];
  readonly names: readonly string[];
  /** Resolves when every server has told its tools, has failed, or has taken longer than is waited for. */
  ready(): Promise<void>;
  reports(): ServerReport[];
  /** Connects to all of them now; resolves after the first try of each, whatever came of it. */
  connect(): Promise<void>;
  /** Ends all connections, and all that was started for them. */
  close(): Promise<void>;
}

export type ServersOptions = ServerParts & {
  servers: Readonly<Record<string, McpServerSettings>>;
  /** How long the first request of a session may wait for servers that are met for the first time. */
  patienceMs: number;
  /** Only what is known from the last time; nothing is connected to before a tool is called. */
  offline?: boolean;
};

/** How long after the start servers are connected to that nobody waits for yet: the screen comes first. */
const FIRST_DELAY_MS = 300;
/** The same where their tools are known, and only looked at again. */
const LATER_DELAY_MS = 2000;

export function createMcpServers(options: ServersOptions): McpServers {
  const servers = new Map<string, McpServer>(
    Object.entries(options.servers)
      .filter(([, { enabled }]) => enabled)
      .map(([name, settings]) => [name, createServer(name, settings, options)]),
  );
  const closing = new AbortController();
  const wanted = Promise.withResolvers<void>();
  // Begun at once and waited for by nobody: what is known is there before a request is made.
  const begun = [...servers.values()].map(begin);
  let ready: Promise<void> | undefined;

  function pause(milliseconds: number): Promise<void> {
    return options.clock.sleep(milliseconds, closing.signal).catch(() => undefined);
  }

  /** `connected` is what a first request waits for: nothing where the tools are known, or took too long the last time. */
  async function begin(server: McpServer): Promise<{ server: McpServer; connected?: Promise<void> }> {
    const { known, fresh, slow } = await server.recall();
    if (fresh || options.offline) return { server };
    const first = known ? pause(LATER_DELAY_MS) : Promise.race([pause(FIRST_DELAY_MS), wanted.promise]);
    const connected = first.then(() => (closing.signal.aborted ? undefined : server.begin()));
    return { server, ...(!known && !slow && { connected }) };
  }

  async function settle(): Promise<void> {
    wanted.resolve();
    const states = await Promise.all(begun);
    const late = pause(options.patienceMs).then(() => 'late' as const);
    const isLate = async (connected: Promise<void>) => (await Promise.race([connected, late])) === 'late';
    await Promise.all(
      states.map(async ({ server, connected }) => {
        const wasLate = connected !== undefined && (await isLate(connected));
        if (wasLate && !closing.signal.aborted) await server.noteSlow();
      }),
    );
  }

  return {
    names: [...servers.keys()],
    tools: (name) => servers.get(name)?.tools() ?? [],
    ready: () => (ready ??= settle()),
    reports: () => [...servers.values()].map((server) => server.report()),
    async connect() {
      await Promise.all([...servers.values()].map((server) => server.begin()));
    },
    async close() {
      closing.abort(new Error('the program ends'));
      await Promise.allSettled(begun);
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}
