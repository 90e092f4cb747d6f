import type { OfferedTool, SessionSetup, ToolDefinition } from '../contracts/index.ts';
import { createBridge, isBridgeName } from './bridge.ts';
import type { ResolvePassages } from './conditional-passages.ts';
import type { Tool } from './tool.ts';

/** The share of the context window that third-party definitions may take. */
const WINDOW_SHARE = 0.05;
const CHARACTERS_PER_TOKEN = 4;

/** The tools that are offered to the model, and the bridge to all others. */
export type OfferedTools = {
  definitions: readonly ToolDefinition[];
  /** The tool set of each offered tool, by name, including the bridge. */
  toolsets: ReadonlyMap<string, string>;
  bridge: readonly Tool[];
  /** The tools behind the bridge that the model can know: they existed when the offer was made, or were announced. */
  known: Set<string>;
  /** Restored from the session setup. */
  isRestored?: true;
};

export type OfferOptions = {
  /** All available tools, in order. */
  tools: readonly Tool[];
  isBuiltIn(tool: Tool): boolean;
  /** Tools may still be added, so the bridge must be offered from the start. */
  mayGrow: boolean;
  contextLength: number | undefined;
  resolvePassages: ResolvePassages;
  /** The tools that are available at the time of the call and were not offered. */
  hiddenTools(offered: { has(name: string): boolean }): Promise<readonly Tool[]>;
};

/**
 * Decides once which tools are offered. Tools that are added later are reached through the bridge, so the definitions
 * in the request never change.
 */
export async function selectOfferedTools(parts: OfferOptions): Promise<OfferedTools> {
  const { tools, isBuiltIn, mayGrow, contextLength } = parts;
  const candidates = tools.filter(({ onDemand }) => !onDemand);
  const definitions = new Map(
    await Promise.all(candidates.map(async (tool) => [tool, await tool.definition()] as const)),
  );
  const foreign = candidates.filter((tool) => !isBuiltIn(tool));
  const size = JSON.stringify(foreign.map((tool) => definitions.get(tool))).length / CHARACTERS_PER_TOKEN;
  const tooMuch = contextLength !== undefined && size > contextLength * WINDOW_SHARE;
  const shown = candidates.filter((tool) => isBuiltIn(tool) || !tooMuch);
  const needsBridge = mayGrow || shown.length < tools.length;
  const toolsets = new Map(shown.map(({ name, toolset }) => [name, toolset]));
  const hidden = tools.filter(({ name }) => !toolsets.has(name));
  const bridge = needsBridge ? openBridge(parts, toolsets, hidden) : [];
  for (const { name, toolset } of bridge) toolsets.set(name, toolset);
  const all = shown.map((tool) => define(parts, tool, definitions.get(tool) as ToolDefinition, toolsets));
  return {
    definitions: [...all, ...(await Promise.all(bridge.map((tool) => tool.definition())))],
    toolsets,
    bridge,
    known: new Set(hidden.map(({ name }) => name)),
  };
}

/**
 * Offers what the session setup says, with the same bytes. A tool that is missing now stays: calls of it say why. A
 * tool whose wording changed keeps the old one. Returns undefined if a tool no longer accepts the calls that its stored
 * definition allows; then the offer must be decided again.
 */
export async function restoreOfferedTools(
  { tools: stored = [], knownTools }: Pick<SessionSetup, 'tools' | 'knownTools'>,
  parts: OfferOptions,
): Promise<OfferedTools | undefined> {
  const toolsets = new Map(stored.map(({ definition, toolset }) => [definition.name, toolset]));
  const hidden = parts.tools.filter(({ name }) => !toolsets.has(name));
  const hasBridge = stored.some(({ definition, toolset }) => isBridgeName(definition.name, toolset));
  const bridge = hasBridge ? openBridge(parts, toolsets, hidden) : [];
  const present = new Map([...parts.tools, ...bridge].map((tool) => [tool.name, tool]));
  const definitions: ToolDefinition[] = [];
  for (const { definition } of stored) {
    const tool = present.get(definition.name);
    const now = tool && define(parts, tool, await tool.definition(), toolsets);
    const isSame = now !== undefined && JSON.stringify(now) === JSON.stringify(definition);
    if (now !== undefined && !isSame) {
      const { acceptsCallsFor } = await import('./accepts-calls.ts');
      if (!acceptsCallsFor(now.parameters, definition.parameters)) return undefined;
    }
    // The shared object is preferred, because what is known about it (token counts, encoded text) is shared, too.
    definitions.push(isSame ? now : definition);
  }
  const known = new Set(knownTools ?? hidden.map(({ name }) => name));
  return { definitions, toolsets, bridge, known, isRestored: true };
}

/** The offered tools in the form in which the session setup stores them. */
export function toStoredOffer({ definitions, toolsets, known }: OfferedTools): {
  tools: OfferedTool[];
  knownTools: string[];
} {
  const tools = definitions.map((definition) => ({ definition, toolset: toolsets.get(definition.name) ?? '' }));
  return { tools, knownTools: [...known] };
}

function openBridge(
  parts: OfferOptions,
  offered: ReadonlyMap<string, string>,
  hidden: readonly Tool[],
): readonly Tool[] {
  const { hiddenTools, isBuiltIn } = parts;
  const groups = [...new Set(hidden.map(({ toolset }) => toolset))].sort();
  const bridged = {
    tools: () => hiddenTools(offered),
    isBuiltIn,
    async define(tool: Tool) {
      const lookup = new Map([...offered, ...(await hiddenTools(offered)).map(({ name }) => [name, ''] as const)]);
      return define(parts, tool, await tool.definition(), lookup);
    },
  };
  return createBridge(bridged, groups);
}

/** Third-party descriptions are never expanded, even if they contain `{{NAME: …}}`. */
function define(
  { isBuiltIn, resolvePassages }: OfferOptions,
  tool: Tool,
  definition: ToolDefinition,
  present: ReadonlyMap<string, string>,
): ToolDefinition {
  return isBuiltIn(tool) ? resolvePassages(definition, new Set(present.keys())) : definition;
}
