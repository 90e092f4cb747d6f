import { ConfigurationError } from '../../base/index.ts';
import { homePaths, type McpServerSettings, type Settings } from '../../config/index.ts';
import { createLogin, createServer, type McpTool, type ServerReport } from '../../mcp/index.ts';
import { nearestNames } from '../../util/index.ts';
import { serverParts } from './open-servers.ts';

/** What can be said of a server without connecting to it. */
export type ListedServer = {
  name: string;
  enabled: boolean;
  /** The command or the address, as it is written in the file. */
  reachedBy: string;
  transport: 'stdio' | 'http' | 'sse';
  /** The tools it had the last time; absent where it was never connected to. */
  tools?: string[];
  login?: 'logged in' | 'not logged in';
};

export type InspectedServer = {
  report: ServerReport;
  tools: readonly McpTool[];
  connectMs: number;
};

/** The settings of a server; an unknown one is answered with those there are. */
export function requireServer(settings: Settings, name: string): McpServerSettings {
  const servers = settings.mcpServers ?? {};
  const found = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(servers);
  const [near] = nearestNames(name, names, 1);
  const hint = near === undefined ? 'Add it with: hermes mcp add' : `Did you mean ${near}?`;
  throw new ConfigurationError(`There is no MCP server ${JSON.stringify(name)}.`, {
    hint: near === undefined && names.length > 0 ? `There are: ${names.join(', ')}.` : hint,
  });
}

export async function listServers(settings: Settings, workingDirectory: string): Promise<ListedServer[]> {
  return Promise.all(
    Object.entries(settings.mcpServers ?? {}).map(([name, server]) =>
      listServer(name, server, settings, workingDirectory),
    ),
  );
}

async function listServer(
  name: string,
  server: McpServerSettings,
  settings: Settings,
  workingDirectory: string,
): Promise<ListedServer> {
  const parts = serverParts(settings, { workingDirectory });
  const known = createServer(name, server, parts);
  const { known: isKnown } = await known.recall();
  return {
    name,
    enabled: server.enabled,
    reachedBy: server.url ?? [server.command, ...server.args].join(' '),
    transport: server.url === undefined ? 'stdio' : server.transport === 'sse' ? 'sse' : 'http',
    ...(isKnown && { tools: known.report().tools }),
    ...(server.login && { login: await loginState(name, server, settings, workingDirectory) }),
  };
}

async function loginState(name: string, server: McpServerSettings, settings: Settings, workingDirectory: string) {
  const { mcpTokensFolder: tokensFolder } = homePaths(settings.home);
  const login = createLogin(name, server, { variables: settings.variables, workingDirectory, tokensFolder });
  // Where a variable in its address is not set, whoever connects is told.
  return (await login.isLoggedIn().catch(() => false)) ? 'logged in' : 'not logged in';
}

/** Connects to a server, looks at what it has, and lets it go. Throws a `ServerFailure` where that fails. */
export async function inspectServer(
  settings: Settings,
  name: string,
  { workingDirectory, signal }: { workingDirectory: string; signal: AbortSignal },
): Promise<InspectedServer> {
  const parts = serverParts(settings, { workingDirectory });
  const server = createServer(name, requireServer(settings, name), parts);
  const begun = performance.now();
  try {
    await server.connect(signal);
    const connectMs = Math.round(performance.now() - begun);
    return { report: server.report(), tools: server.tools(), connectMs };
  } finally {
    await server.close();
  }
}
