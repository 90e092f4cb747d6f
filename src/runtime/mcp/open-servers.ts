import { join } from 'node:path';
import { type Clock, systemClock } from '../../base/index.ts';
import { homePaths, type Settings } from '../../config/index.ts';
import { type AuxiliaryModels, type Logger, silentLogger } from '../../contracts/index.ts';
import { createMcpServers, type McpServers, type ServerParts } from '../../mcp/index.ts';
import type { ToolSource } from '../../tools/index.ts';
import { createServerSources, type FindCurrent } from './server-sources.ts';

/** How long the first request waits for servers without cached tools. */
const FIRST_WAIT_MS = { interactive: 1500, other: 15_000 };

export type OpenedServers = { sources: readonly ToolSource[]; servers: McpServers };

type ServerOptions = {
  workingDirectory: string;
  /** Whether a user is waiting for the first answer. */
  interactive?: boolean;
  auxiliary?: AuxiliaryModels | undefined;
  clock?: Clock;
  logger?: Logger;
  findCurrent?: FindCurrent;
};

/** Opens the configured servers. They connect in the background. */
export function openServers(settings: Settings, options: ServerOptions): OpenedServers {
  const servers = createMcpServers({
    ...serverParts(settings, options),
    servers: settings.mcpServers ?? {},
    maxWaitMs: options.interactive ? FIRST_WAIT_MS.interactive : FIRST_WAIT_MS.other,
  });
  return { servers, sources: createServerSources(servers, options.findCurrent) };
}

/**
 * Opens servers for one session only, such as those of an editor. They connect immediately, and their tool lists are cached
 * apart from those of the configured servers, which may have the same names.
 */
export function openSessionServers(settings: Settings, options: ServerOptions): OpenedServers {
  const parts = serverParts(settings, options);
  const servers = createMcpServers({
    ...parts,
    cacheFolder: join(parts.cacheFolder, 'sessions'),
    servers: settings.mcpServers ?? {},
    maxWaitMs: FIRST_WAIT_MS.interactive,
  });
  void servers.connect();
  return { servers, sources: createServerSources(servers) };
}

/** The cached tools of the servers, for callers that only describe them. */
export function describeServers(settings: Settings, workingDirectory: string): readonly ToolSource[] {
  const parts = serverParts(settings, { workingDirectory });
  const servers = createMcpServers({ ...parts, servers: settings.mcpServers ?? {}, maxWaitMs: 0, offline: true });
  return createServerSources(servers);
}

export function serverParts(settings: Settings, options: ServerOptions): ServerParts {
  const { mcpCacheFolder, mcpTokensFolder } = homePaths(settings.home);
  const { workingDirectory, auxiliary, clock = systemClock, logger = silentLogger } = options;
  return {
    workingDirectory,
    auxiliary,
    clock,
    logger,
    variables: settings.variables,
    cacheFolder: mcpCacheFolder,
    tokensFolder: mcpTokensFolder,
  };
}
