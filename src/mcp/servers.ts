import type { McpServerSettings } from '../config/index.ts';
import { createServer, type McpServer, type ServerParts, type ServerReport } from './server.ts';
import type { McpTool } from './server-tools.ts';

/** All enabled MCP servers of the configuration. */
export interface McpServers {
  /** The currently known tools; does not connect. */
  tools(server: string): readonly McpTool[];
  readonly names: readonly string[];
  /** Resolves when every server has listed its tools, has failed, or has exceeded the time limit. */
  ready(): Promise<void>;
  reports(): ServerReport[];
  /** Connects to all servers now. Resolves after the first attempt of each, whether it succeeded or not. */
  connect(): Promise<void>;
  /** Closes all connections and ends the processes of stdio servers. */
  close(): Promise<void>;
}

export type ServersOptions = ServerParts & {
  servers: Readonly<Record<string, McpServerSettings>>;
  /** How long the first request of a session may wait for servers without a cached tool list. */
  maxWaitMs: number;
  /** Uses cached tool lists only, and connects when a tool is called. */
  offline?: boolean;
};

/** `connected` is missing if the tools are cached, or the server `wasSlow` recently. */
type Begun = { server: McpServer; connected?: Promise<void>; wasSlow?: boolean };

/** Delay after startup before connecting to servers that nothing waits for yet, so that the screen is drawn first. */
const FIRST_DELAY_MS = 300;
/** The delay for servers with a cached list, which only has to be refreshed. */
const LATER_DELAY_MS = 2000;

export function createMcpServers(options: ServersOptions): McpServers {
  const servers = new Map<string, McpServer>(
    Object.entries(options.servers)
      .filter(([, { enabled }]) => enabled)
      .map(([name, settings]) => [name, createServer(name, settings, options)]),
  );
  const late = new Set<string>();
  const closing = new AbortController();
  const wanted = Promise.withResolvers<void>();
  // Started immediately but not awaited, so that cached lists are loaded before the first request.
  const begun = [...servers.values()].map(begin);
  let ready: Promise<void> | undefined;

  function pause(milliseconds: number): Promise<void> {
    return options.clock.sleep(milliseconds, closing.signal).catch(() => undefined);
  }

  /** Returns the promise that the first request waits for, if there is one. */
  async function begin(server: McpServer): Promise<Begun> {
    const { known, fresh, slow } = await server.loadCachedTools();
    if (fresh || options.offline) return { server };
    const first = known ? pause(LATER_DELAY_MS) : Promise.race([pause(FIRST_DELAY_MS), wanted.promise]);
    const connected = first.then(() => (closing.signal.aborted ? undefined : server.connectInBackground()));
    return { server, ...(!known && (slow ? { wasSlow: true } : { connected })) };
  }

  async function settle(): Promise<void> {
    wanted.resolve();
    const states = await Promise.all(begun);
    const timeout = pause(options.maxWaitMs).then(() => 'late' as const);
    const isLate = async (connected: Promise<void>) => (await Promise.race([connected, timeout])) === 'late';
    await Promise.all(
      states.map(async ({ server, connected, wasSlow = false }) => {
        const wasLate = connected !== undefined && (await isLate(connected));
        if (wasLate || wasSlow) late.add(server.name);
        if (wasLate && !closing.signal.aborted) await server.recordSlow();
      }),
    );
  }

  return {
    names: [...servers.keys()],
    tools: (name) => servers.get(name)?.tools() ?? [],
    ready: () => (ready ??= settle()),
    reports: () =>
      [...servers.values()].map((server) => ({ ...server.report(), ...(late.has(server.name) && { isLate: true }) })),
    async connect() {
      await Promise.all([...servers.values()].map((server) => server.connectInBackground()));
    },
    async close() {
      closing.abort(new Error('Hermes is exiting'));
      await Promise.allSettled(begun);
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}
