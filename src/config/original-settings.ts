import { isAbsolute, join } from 'node:path';
import type { EnvironmentVariables } from './paths.ts';
import type { ConfigFile } from './schema.ts';
import type { Settings } from './settings.ts';

type OriginalSettings = Pick<Settings, 'ephemeralSystemPrompt' | 'prefillFile' | 'platformToolsets' | 'blockedSites'>;

/** Keys of the original that few homes have; an empty text counts as not set. */
export function readOriginalSettings(
  home: string,
  values: ConfigFile,
  variables: EnvironmentVariables,
): OriginalSettings {
  const prefill = variables['HERMES_PREFILL_MESSAGES_FILE'] || values.prefill_messages_file || undefined;
  const blocklist = values.security?.website_blocklist;
  const files = blocklist?.shared_files ?? [];
  const inHome = (path: string) => (isAbsolute(path) ? path : join(home, path));
  return {
    ephemeralSystemPrompt:
      variables['HERMES_EPHEMERAL_SYSTEM_PROMPT']?.trim() || values.agent?.system_prompt?.trim() || undefined,
    prefillFile: prefill === undefined ? undefined : inHome(prefill),
    platformToolsets: readPlatformToolsets(values),
    blockedSites: blocklist?.enabled ? { domains: blocklist.domains ?? [], files: files.map(inHome) } : undefined,
  };
}

/** In these lists, MCP servers have their bare names, and all of them are used unless one is listed or `no_mcp`. */
function readPlatformToolsets({ platform_toolsets: lists, mcp_servers: servers }: ConfigFile) {
  if (lists === undefined) return undefined;
  const serverNames = Object.keys(servers ?? {});
  const read = Object.entries(lists).map(([platform, names]): [string, readonly string[]] => {
    const isServer = (name: string) => serverNames.includes(name);
    const listed = names.flatMap((name) => (name === 'no_mcp' ? [] : isServer(name) ? `mcp-${name}` : name));
    const isChosen = names.some((name) => name === 'no_mcp' || isServer(name));
    return [platform, isChosen ? listed : [...listed, ...serverNames.map((name) => `mcp-${name}`)]];
  });
  return Object.fromEntries(read);
}
