import { isJsonObject, type JsonObject, parseJson } from '../base/index.ts';
import type { JsonSchema, ToolDefinition } from '../contracts/index.ts';
import { createSchemaTool } from './schema-tool.ts';
import type { Tool } from './tool.ts';
import { ToolFailure } from './tool-stop.ts';

/** What the bridge leads to: the tools that the model was not told of, as they are now. */
export type Beyond = {
  tools(): Promise<readonly Tool[]>;
  /** What a model is told of one of them. */
  define(tool: Tool): Promise<ToolDefinition>;
};

const MAX_FOUND = 20;
const TEXT = { type: 'string' } as const;

/**
 * The way to tools that models are not told of with every call: search, look at one, call it. What these three say of
 * themselves never changes, so tools may come and go without a change in what was sent.
 */
export function createBridge(beyond: Beyond, sets: readonly string[]): Tool[] {
  const groups = sets.length === 0 ? '' : ` Groups so far: ${sets.join(', ')}.`;
  return [
    bridgeTool(
      'tool_search',
      `Find further tools by words; an empty query lists all.${groups}`,
      { properties: { query: TEXT } },
      async ({ query = '' }) => search(query as string, beyond),
    ),
    bridgeTool(
      'tool_describe',
      'What a found tool takes; look before you call it.',
      { properties: { name: TEXT }, required: ['name'] },
      async ({ name }) => describe(name as string, beyond),
    ),
    bridgeTool(
      'tool_call',
      'Call a found tool.',
      { properties: { name: TEXT, arguments: { type: 'object' } }, required: ['name'] },
      // Never reached: see `isToolCall`.
      () => Promise.reject(new ToolFailure('tool_call is only a way to other tools.')),
    ),
  ];
}

const BRIDGE_SET = 'tool_search';

function bridgeTool(name: string, description: string, schema: JsonSchema, run: (args: JsonObject) => Promise<string>) {
  const concurrency = { mode: 'parallel' } as const;
  const parameters = { type: 'object', ...schema };
  // What tools say of themselves was written by others.
  const traits = { name, toolset: BRIDGE_SET, readOnly: true, outsideText: true };
  return createSchemaTool({ ...traits, description, parameters, concurrency, run });
}

/** A call through the bridge is taken apart before it runs: what runs is the tool it names, like any other. */
export function isToolCall(tool: Tool): boolean {
  return tool.name === 'tool_call' && tool.toolset === BRIDGE_SET;
}

/** What a call through the bridge names; undefined where it does not. */
export function readToolCall(args: JsonObject): { name: string; given: JsonObject } | undefined {
  const { name, arguments: inner = {} } = args;
  // Some models write the inner arguments as text once more.
  const given = typeof inner === 'string' ? parseJson(inner) : inner;
  return typeof name === 'string' && isJsonObject(given) ? { name, given } : undefined;
}

/** Best first: each word counts where it stands in the name, the group or the description. */
async function search(query: string, beyond: Beyond): Promise<string> {
  const tools = await beyond.tools();
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const scored = await Promise.all(
    tools.map(async (tool) => {
      const { description } = await beyond.define(tool);
      const score = words.reduce((sum, word) => sum + scoreOf(word, tool, description), 0);
      return { tool, description, score };
    }),
  );
  const found = scored
    .filter(({ score }) => words.length === 0 || score > 0)
    .sort((a, b) => b.score - a.score || a.tool.name.localeCompare(b.tool.name));
  if (found.length === 0) {
    return tools.length === 0 ? 'There are no further tools right now.' : 'No tool fits. Try other words, or none.';
  }
  const lines = found.slice(0, MAX_FOUND).map(({ tool, description }) => `${tool.name}: ${firstSentence(description)}`);
  if (found.length > MAX_FOUND) lines.push(`[${found.length - MAX_FOUND} more; use other words]`);
  return lines.join('\n');
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

async function describe(name: string, beyond: Beyond): Promise<string> {
  const found = (await beyond.tools()).find((tool) => tool.name === name);
  if (!found) throw new ToolFailure(`There is no tool ${JSON.stringify(name)}. Find names with tool_search.`);
  return JSON.stringify(await beyond.define(found));
}
