import { isJsonObject, type JsonObject, parseJson } from '../base/index.ts';
import type { JsonSchema, ToolDefinition } from '../contracts/index.ts';
import { createSchemaTool } from './schema-tool.ts';
import type { Tool, ToolAnswer } from './tool.ts';
import { OwnText, ToolFailure } from './tool-stop.ts';

/** The tools behind the bridge: those that are available now and were not offered. */
export type BridgedTools = {
  tools(): Promise<readonly Tool[]>;
  /** Returns the definition of one of these tools. */
  define(tool: Tool): Promise<ToolDefinition>;
  isBuiltIn(tool: Tool): boolean;
};

const MAX_FOUND = 20;
const TEXT = { type: 'string' } as const;

/**
 * The tool bridge: `tool_search`, `tool_describe` and `tool_call` for tools whose definitions are not sent. These
 * three definitions never change, so tools can come and go without breaking the cached prefix.
 */
export function createBridge(bridged: BridgedTools, sets: readonly string[]): Tool[] {
  const groups = sets.length === 0 ? '' : ` Tool sets available now: ${sets.join(', ')}.`;
  return [
    bridgeTool(
      'tool_search',
      `Search for tools that are not listed here (browser, MCP servers, plugins). Use it before you say that you have no tool for something. Returns up to 20 tools with a short description; an empty query matches all tools.${groups}`,
      { properties: { query: { ...TEXT, description: 'Words from the name or description of the tool.' } } },
      async ({ query = '' }) => search(query as string, bridged),
    ),
    bridgeTool(
      'tool_describe',
      'Show the description and parameters of a tool found with tool_search. Call this before tool_call.',
      { properties: { name: TEXT }, required: ['name'] },
      async ({ name }) => describe(name as string, bridged),
    ),
    bridgeTool(
      'tool_call',
      "Call a tool found with tool_search. Pass the tool's parameters as an object in arguments.",
      { properties: { name: TEXT, arguments: { type: 'object' } }, required: ['name'] },
      // Never called: `prepareCall` replaces a `tool_call` with the inner call (see `isToolCall`).
      () => Promise.reject(new ToolFailure('tool_call only calls other tools.')),
    ),
  ];
}

/** The hint after an unknown name in `tool_describe` or `tool_call`. */
export const FIND_NAMES =
  'Find the name with tool_search. Tools in your own tool list are called directly, without tool_call.';
const BRIDGE_SET = 'tool_search';

function bridgeTool(
  name: string,
  description: string,
  schema: JsonSchema,
  run: (args: JsonObject) => Promise<ToolAnswer>,
) {
  const concurrency = { mode: 'parallel' } as const;
  const parameters = { type: 'object', ...schema };
  // The descriptions of tools that are not built in are third-party text.
  const traits = { name, toolset: BRIDGE_SET, readOnly: true, outsideText: true };
  return createSchemaTool({ ...traits, description, parameters, concurrency, run });
}

/** Whether a tool of an earlier offer is part of the bridge. */
export function isBridgeName(name: string, toolset: string): boolean {
  return toolset === BRIDGE_SET && name.startsWith('tool_');
}

/** Whether this is `tool_call`, which is unwrapped before it runs: the inner tool runs like any other. */
export function isToolCall(tool: Tool): boolean {
  return tool.name === 'tool_call' && tool.toolset === BRIDGE_SET;
}

/** The inner call of a `tool_call`; undefined if its arguments are invalid. */
export function readToolCall(args: JsonObject): { name: string; given: JsonObject } | undefined {
  const { name, arguments: inner = {} } = args;
  // Some models encode the inner arguments as a JSON string.
  const given = typeof inner === 'string' ? parseJson(inner) : inner;
  return typeof name === 'string' && isJsonObject(given) ? { name, given } : undefined;
}

/** Lists matching tools, best first. Each word scores by where it occurs: name, tool set or description. */
async function search(query: string, bridged: BridgedTools): Promise<ToolAnswer> {
  const tools = await bridged.tools();
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const scored = await Promise.all(
    tools.map(async (tool) => {
      const { description } = await bridged.define(tool);
      const score = words.reduce((sum, word) => sum + scoreOf(word, tool, description), 0);
      return { tool, description, score };
    }),
  );
  const found = scored
    .filter(({ score }) => words.length === 0 || score > 0)
    .sort((a, b) => b.score - a.score || a.tool.name.localeCompare(b.tool.name));
  if (found.length === 0) {
    return new OwnText(
      tools.length === 0
        ? 'There are no further tools at the moment.'
        : 'No tool matches. Try other words, or an empty query to list all tools.',
    );
  }
  const shown = found.slice(0, MAX_FOUND);
  const lines = shown.map(({ tool, description }) => `${tool.name}: ${firstSentence(description)}`);
  if (found.length > MAX_FOUND) lines.push(`[${found.length - MAX_FOUND} more tools match; use a more specific query]`);
  const text = lines.join('\n');
  return shown.every(({ tool }) => bridged.isBuiltIn(tool)) ? new OwnText(text) : text;
}

function scoreOf(word: string, { name, toolset }: Tool, description: string): number {
  if (name.toLowerCase().includes(word)) return 3;
  if (toolset.toLowerCase().includes(word)) return 2;
  return description.toLowerCase().includes(word) ? 1 : 0;
}

function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return /^.{1,200}?[.!?](?=\s|$)/.exec(line)?.[0] ?? line.slice(0, 200);
}

async function describe(name: string, bridged: BridgedTools): Promise<ToolAnswer> {
  const found = (await bridged.tools()).find((tool) => tool.name === name);
  if (!found) throw new ToolFailure(`Unknown tool ${JSON.stringify(name)}. ${FIND_NAMES}`);
  const definition = JSON.stringify(await bridged.define(found));
  return bridged.isBuiltIn(found) ? new OwnText(definition) : definition;
}
