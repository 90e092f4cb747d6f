import { isJsonObject, type JsonValue } from '../base/index.ts';
import { type ListedTool, readTool } from './read-tool.ts';
import type { McpSession } from './session.ts';
import { createNameFilter } from './tool-names.ts';

/** What a server has, as far as it is used. */
export type ServerList = {
  tools: ListedTool[];
  resources: boolean;
  prompts: boolean;
  /** Tools that are not used, each with the reason; `unwanted` where the settings say so. */
  leftOut: { name: string; reason: string; unwanted?: true }[];
};

export type ListOptions = {
  include: readonly string[] | undefined;
  exclude: readonly string[];
  resources: boolean;
  prompts: boolean;
  trusted: boolean;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

const MOST_PAGES = 50;
const MOST_TOOLS = 500;

/** Asks a server for its tools, page by page, and looks at each of them. */
export async function listTools(session: McpSession, options: ListOptions): Promise<ServerList> {
  const raw = session.offers.has('tools') ? await allPages(session, 'tools/list', 'tools', options) : [];
  const isWanted = createNameFilter(options.include, options.exclude);
  const tools = new Map<string, ListedTool>();
  const leftOut: ServerList['leftOut'] = [];
  for (const entry of raw) {
    const reading = await readTool(entry, options.trusted);
    if ('fault' in reading) leftOut.push({ name: reading.name, reason: reading.fault });
    else if (tools.has(reading.tool.original))
      leftOut.push({ name: reading.tool.original, reason: 'it is listed twice' });
    else if (isWanted(reading.tool.original)) tools.set(reading.tool.original, reading.tool);
    else leftOut.push({ name: reading.tool.original, reason: 'the settings leave it out', unwanted: true });
  }
  return {
    // Servers list them in any order; what models are told should be the same the next time.
    tools: [...tools.values()].sort((a, b) => (a.original < b.original ? -1 : 1)),
    resources: options.resources && session.offers.has('resources'),
    prompts: options.prompts && session.offers.has('prompts'),
    leftOut,
  };
}

/** A list that has no end, or goes in a circle, is cut. */
export async function allPages(
  session: McpSession,
  method: string,
  key: string,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<JsonValue[]> {
  const found: JsonValue[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && found.length < MOST_TOOLS; page += 1) {
    const answer = await session.request(method, cursor === undefined ? {} : { cursor }, { timeoutMs, signal });
    const entries = isJsonObject(answer) ? answer[key] : undefined;
    if (Array.isArray(entries)) for (const entry of entries) found.push(entry);
    const next = isJsonObject(answer) ? answer['nextCursor'] : undefined;
    if (typeof next !== 'string' || seen.has(next)) break;
    seen.add(next);
    cursor = next;
  }
  return found.slice(0, MOST_TOOLS);
}
