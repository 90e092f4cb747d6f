import type { Clock } from '../base/index.ts';
import { loadSettings, type McpServerSettings, type Settings } from '../config/index.ts';
import type { AuxiliaryModels, Logger } from '../contracts/index.ts';
import type { McpTool, ServerReport } from '../mcp/index.ts';
import type { ToolSource } from '../tools/index.ts';
import { abortable, createSemaphore } from '../util/index.ts';
import type { OpenedServers } from './mcp/open-servers.ts';

/** A configured MCP server. `report` is undefined if it is disabled. */
export type ServerState = { name: string; settings: McpServerSettings; report: ServerReport | undefined };

/** The MCP servers that all sessions of a process share. */
export interface RuntimeServers {
  /** The tools of the current servers, also after a reload; empty if no servers can be added. */
  sources(): readonly ToolSource[];
  /** The current state of each server. */
  states(): ServerState[];
  /** Connects to all enabled servers, and returns their states after one attempt each. */
  connect(): Promise<ServerState[]>;
  /**
   * Reads the server settings again, closes all connections, and connects to the servers that are configured now.
   * Resolves when every connection was attempted or the wait timed out. Open sessions, such as those of background
   * turns, find new tools by searching; they must be reopened to offer them.
   */
  reload(): Promise<void>;
  close(): Promise<void>;
}

type Options = { settings: Settings; workingDirectory: string; interactive: boolean };
type Parts = { auxiliary: AuxiliaryModels | undefined; logger: Logger; clock: Clock };

/** How long a reload waits for the slowest server. */
const RELOAD_TIMEOUT_MS = 10_000;

/** The MCP code is loaded only if the settings name a server. */
export async function connectServers(options: Options, parts: Parts): Promise<RuntimeServers> {
  const { workingDirectory, interactive } = options;
  const { home, variables } = options.settings;
  const oneAtATime = createSemaphore(1);
  const closing = new AbortController();
  let settings = options.settings;
  let opened = await open();
  /** The servers whose tools are listed: during a reload the old ones, until the new ones have connected. */
  let listed = opened;
  let reloading: Promise<void> | undefined;
  const live = createLiveSource(() => listed);
  const states = () => describeStates(settings, opened);

  async function open(): Promise<OpenedServers | undefined> {
    if (settings.mcpServers === undefined) return undefined;
    const { openServers } = await import('./mcp/open-servers.ts');
    return openServers(settings, { workingDirectory, interactive, ...parts, findCurrent });
  }

  async function findCurrent(server: string, tool: string, signal: AbortSignal): Promise<McpTool | undefined> {
    // A call during a reload waits for the new connection instead of failing with the old one.
    if (reloading !== undefined) await abortable(reloading, signal);
    return opened?.servers.tools(server).find(({ definition }) => definition.name === tool);
  }

  async function reload(): Promise<void> {
    // Load the settings before closing anything, so that a mistake in the file does not disconnect a server.
    const next = await loadSettings({ home, env: variables });
    await opened?.servers.close();
    settings = next;
    opened = closing.signal.aborted ? undefined : await open();
    const tried = new AbortController();
    const waiting = AbortSignal.any([closing.signal, tried.signal]);
    const late = parts.clock.sleep(RELOAD_TIMEOUT_MS, waiting).catch(() => undefined);
    await Promise.race([opened?.servers.connect(), late]);
    tried.abort();
    listed = opened;
  }

  return {
    // Without a user nobody can reload, so a process without servers needs no source.
    sources: () => (listed === undefined && !interactive ? [] : [live]),
    states,
    async connect() {
      await opened?.servers.connect();
      return states();
    },
    reload: () =>
      oneAtATime.use(async () => {
        const done = Promise.withResolvers<void>();
        reloading = done.promise;
        try {
          await reload();
        } finally {
          reloading = undefined;
          done.resolve();
        }
      }),
    close() {
      // Abort a reload that is still waiting for a server.
      closing.abort(new Error('Hermes is shutting down'));
      return oneAtATime.use(async () => opened?.servers.close());
    },
  };
}

/** One tool source for all servers, which stays valid after a reload. */
function createLiveSource(current: () => OpenedServers | undefined): ToolSource {
  return {
    name: 'mcp',
    kind: 'mcp',
    // A getter, because a reload may add the first server.
    get isDormant() {
      return current() === undefined;
    },
    tools: () => current()?.sources.flatMap((source) => source.tools()) ?? [],
    async ready() {
      // All servers share one wait.
      await current()?.sources[0]?.ready?.();
    },
  };
}

function describeStates({ mcpServers = {} }: Settings, opened: OpenedServers | undefined): ServerState[] {
  const reports = opened?.servers.reports() ?? [];
  return Object.entries(mcpServers).map(([name, server]) => {
    return { name, settings: server, report: reports.find((report) => report.name === name) };
  });
}

/** The cached tools of the servers, for callers that only describe them. */
async function cachedServerTools(settings: Settings, workingDirectory: string): Promise<readonly ToolSource[]> {
  if (settings.mcpServers === undefined) return [];
  const sources = (await import('./mcp/open-servers.ts')).describeServers(settings, workingDirectory);
  for (const source of sources) await source.ready?.();
  return sources;
}

/**
 * The cached tools of servers and plugins, for callers that only describe them. Does not connect to anything or run
 * plugin code.
 */
export async function cachedSources(settings: Settings, workingDirectory: string): Promise<readonly ToolSource[]> {
  const servers = await cachedServerTools(settings, workingDirectory);
  if (settings.plugins === undefined) return servers;
  const { cachedPluginTools } = await import('./plugins/cached-tools.ts');
  return [...servers, ...(await cachedPluginTools(settings))];
}
