import type { McpServer } from '@agentclientprotocol/sdk';
import { HermesError } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import { readSessionServers, type SessionServer } from '../../config/session-servers.ts';
import type { Services } from '../../runtime/index.ts';
import { type OpenedServers, openSessionServers } from '../../runtime/mcp/index.ts';

/**
 * Opens the MCP servers that the client brings for one session, in the working directory of the session; undefined if
 * there are none.
 */
export async function openClientServers(
  given: readonly McpServer[],
  { settings, services, workingDirectory }: { settings: Settings; services: Services; workingDirectory: string },
): Promise<OpenedServers | undefined> {
  if (given.length === 0) return undefined;
  const servers: Record<string, SessionServer> = {};
  for (const server of given) {
    if (Object.hasOwn(servers, server.name))
      throw new HermesError(`Two MCP servers have the name "${server.name}".`, { hint: 'Rename one of them.' });
    servers[server.name] = toSettings(server);
  }
  const mcpServers = readSessionServers(servers, Object.keys(settings.mcpServers ?? {}));
  const { auxiliary, clock, logger } = services;
  return openSessionServers(
    { ...settings, mcpServers },
    { workingDirectory, interactive: true, auxiliary, clock, logger },
  );
}

function toSettings(server: McpServer): SessionServer {
  if ('url' in server) {
    const { type, url, headers } = server;
    return { transport: type === 'sse' ? 'sse' : 'http', url: literal(url), headers: pairs(headers) };
  }
  if ('command' in server)
    return { command: literal(server.command), args: server.args.map(literal), env: pairs(server.env) };
  const { name } = server as { name: string };
  throw new HermesError(`The MCP server "${name}" has a transport that Hermes does not support.`, {
    hint: 'Hermes supports stdio, http and sse.',
  });
}

function pairs(entries: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(entries.map(({ name, value }) => [name, literal(value)]));
}

/** In settings, `${NAME}` is a variable. A client has filled in its own, so its text must stay as it is. */
function literal(value: string): string {
  return value.replaceAll('${', '${HERMES_LITERAL_DOLLAR:-$}{');
}
