import type { Clock } from '../base/index.ts';
import { loadSettings, type McpServerSettings, type Settings } from '../config/index.ts';
import type { AuxiliaryModels, Logger } from '../contracts/index.ts';
import type { McpTool, ServerReport } from '../mcp/index.ts';
import type { ToolSource } from '../tools/index.ts';
import { createSemaphore } from '../util/index.ts';
import type { OpenedServers } from './mcp/open-servers.ts';

/** One server of the settings. There is no report where it is switched off. */
export type ServerState = { name: string; settings: McpServerSettings; report: ServerReport | undefined };

/** The MCP servers that all sessions of a program share. */
export interface RuntimeServers {
  /** Their tools: a source for each of them. Other ones once they are loaded anew. */
  sources(): readonly ToolSource[];
  /** How each of them is now. */
  states(): ServerState[];
  /**
   * Reads the settings of servers anew, ends all connections, and connects to those that there are now. Resolves when each
   * was tried, or takes long. Sessions that are open have to be opened anew.
   */
  reload(): Promise<void>;
  close(): Promise<void>;
}

type Options = { settings: Settings; workingDirectory: string; interactive: boolean };
type Parts = { auxiliary: AuxiliaryModels | undefined; logger: Logger; clock: Clock };

/** How long someone who loads them anew waits for the slowest. */
const RELOAD_MS = 10_000;

/** Nothing is loaded where the settings name none. */
export async function connectServers(options: Options, parts: Parts): Promise<RuntimeServers> {
  const { workingDirectory, interactive } = options;
  const { home, variables } = options.settings;
  const oneAtATime = createSemaphore(1);
  const closing = new AbortController();
  let settings = options.settings;
  let opened = await open();

  async function open(): Promise<OpenedServers | undefined> {
    if (settings.mcpServers === undefined) return undefined;
    const { openServers } = await import('./mcp/open-servers.ts');
    return openServers(settings, { workingDirectory, interactive, ...parts, findCurrent });
  }

  function findCurrent(server: string, tool: string): McpTool | undefined {
    return opened?.servers.tools(server).find(({ definition }) => definition.name === tool);
  }

  async function reload(): Promise<void> {
    // Before anything is ended: a mistake in the file costs no server.
    const next = await loadSettings({ home, env: variables });
    await opened?.servers.close();
    settings = next;
    opened = closing.signal.aborted ? undefined : await open();
    const tried = new AbortController();
    const waiting = AbortSignal.any([closing.signal, tried.signal]);
    const late = parts.clock.sleep(RELOAD_MS, waiting).catch(() => undefined);
    await Promise.race([opened?.servers.connect(), late]);
    tried.abort();
  }

  return {
    sources: () => opened?.sources ?? [],
    states() {
      const reports = opened?.servers.reports() ?? [];
      return Object.entries(settings.mcpServers ?? {}).map(([name, server]) => {
        return { name, settings: server, report: reports.find((report) => report.name === name) };
      });
    },
    reload: () => oneAtATime.use(() => reload()),
    close() {
      // Who waits for a server then, waits no longer.
      closing.abort(new Error('the program ends'));
      return oneAtATime.use(async () => opened?.servers.close());
    },
  };
}

/** The tools that servers had the last time, for those who only describe them. */
async function knownServerTools(settings: Settings, workingDirectory: string): Promise<readonly ToolSource[]> {
  if (settings.mcpServers === undefined) return [];
  const sources = (await import('./mcp/open-servers.ts')).describeServers(settings, workingDirectory);
  for (const source of sources) await source.ready?.();
  return sources;
}

/** What servers and plugins had the last time, for those who only describe it. Nothing is connected to, and no code runs. */
export async function knownSources(settings: Settings, workingDirectory: string): Promise<readonly ToolSource[]> {
  const servers = await knownServerTools(settings, workingDirectory);
  if (settings.plugins === undefined) return servers;
  const { knownPluginTools } = await import('./plugins/known-tools.ts');
  return [...servers, ...(await knownPluginTools(settings))];
}
