import { labelServers, type McpServerSettings, readServer, type ServerEntry } from './mcp-settings.ts';

/** How a server outside the configuration is reached. */
export type SessionServer = Pick<ServerEntry, 'command' | 'args' | 'env' | 'url' | 'headers' | 'transport'>;

/**
 * The settings of servers that are not in the configuration, such as those of an editor. Their labels differ from those
 * of the configured servers, also if the names are the same.
 */
export function readSessionServers(
  servers: Readonly<Record<string, SessionServer>>,
  configured: readonly string[],
): Readonly<Record<string, McpServerSettings>> {
  const labels = labelServers([...configured, ...Object.keys(servers)]);
  return Object.fromEntries(
    Object.entries(servers).map(([name, entry]) => [name, { label: labels.get(name) ?? name, ...readServer(entry) }]),
  );
}
