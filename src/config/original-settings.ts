import { isAbsolute, join } from 'node:path';
import type { EnvironmentVariables } from './paths.ts';
import type { ConfigFile } from './schema.ts';

/** `security.website_blocklist`: domains, and files with one domain per line. */
export type BlockedSites = { domains: readonly string[]; files: readonly string[] };

/** What few homes besides those of the original configure. */
export type OriginalSettings = {
  /** Websites that web tools and the browser do not open. */
  blockedSites?: BlockedSites | undefined;
  /** Text that is sent after the system prompt and is not stored. */
  ephemeralSystemPrompt?: string | undefined;
  /** A file with messages that are sent before each conversation and are not stored. */
  prefillFile?: string | undefined;
  /** Tool sets by surface or messaging platform; they replace `toolsets` there. */
  platformToolsets?: Readonly<Record<string, readonly string[]>> | undefined;
};

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
