import type { Clock, ToolCall } from '../base/index.ts';
import type { Logger, PreparedCall, ToolDefinition } from '../contracts/index.ts';
import { createAllTools } from './all-tools.ts';
import { createAvailability } from './availability.ts';
import { createBridge } from './bridge.ts';
import { type ResolvePassages, createPassageResolver } from './conditional-passages.ts';
import { prepareCall } from './prepare-call.ts';
import type { ToolSelection } from './selection/select-tools.ts';
import type { Tool, ToolRequirements, ToolSource } from './tool.ts';

export type ToolCatalogOptions = {
  /** The built-in tools. */
  tools: readonly Tool[];
  /** Shared by agents with the same tools. */
  resolvePassages?: ResolvePassages;
  /** Sources whose tools may come and go at run time. */
  sources?: readonly ToolSource[];
  /** Names of built-in tools that a source may replace. */
  replaceable?: readonly string[];
  /** The tools that are selected; undefined for all tools. */
  selection?: ToolSelection | undefined;
  /** Environment variables for tools that require one. */
  variables?: ToolRequirements['variables'];
  services?: ToolRequirements['services'];
  /** What conditional passages may name besides tools, such as `sandbox`. */
  features?: readonly string[];
};

/** The tools of one agent: which exist, which are offered to the model, and which one a call refers to. */
export interface ToolCatalog {
  names(): Promise<readonly string[]>;
  definitions(contextLength?: number): Promise<readonly ToolDefinition[]>;
  describe(names: readonly string[]): Promise<readonly ToolDefinition[]>;
  prepare(calls: readonly ToolCall[]): Promise<PreparedCall[]>;
  /** The tool of a call that was prepared. */
  get(name: string): Tool;
}

export function createToolCatalog(options: ToolCatalogOptions, clock: Clock, logger: Logger): ToolCatalog {
  const {
    tools: builtIn,
    sources = [],
    replaceable = [],
    selection,
    variables = {},
    services = {},
    features = [],
  } = options;
  const allTools = createAllTools({ builtIn, sources, replaceable, logger });
  const { resolvePassages = createPassageResolver() } = options;
  const availability = createAvailability({ variables, services }, clock, logger);
  // A tool may disappear before its prepared call runs; the call still runs.
  const prepared = new Map<string, Tool>();
  let offer: Promise<OfferedTools> | undefined;

  let selected: { from: ReadonlyMap<string, Tool>; tools: readonly Tool[] } | undefined;
  function chosen(): readonly Tool[] {
    const from = allTools.current();
    if (selected?.from === from) return selected.tools;
    const tools = [...from.values()].filter((tool) => selection?.(tool, allTools.isBuiltIn(tool)) ?? true);
    selected = { from, tools };
    return tools;
  }
  const usable = () => availability.filter(chosen());
  const waited = sources.flatMap((source) => (source.ready ? [source.ready] : []));
  let settled: Promise<unknown> | undefined;
  /** Waits for the sources once. Tools that are added later are found through the bridge. */
  const sourcesReady = () => (settled ??= Promise.all(waited.map((ready) => ready())));
  const toolsExcept = async (offeredNames: ReadonlySet<string>) =>
    (await usable()).filter(({ name }) => !offeredNames.has(name));

  function offered(contextLength?: number): Promise<OfferedTools> {
    const { isBuiltIn } = allTools;
    const mayGrow = sources.some(({ isDormant = false }) => !isDormant);
    return (offer ??= sourcesReady()
      .then(usable)
      .then((tools) =>
        selectOfferedTools({
          tools,
          isBuiltIn,
          mayGrow,
          contextLength,
          hiddenTools: toolsExcept,
          resolvePassages: (definition, names) => resolvePassages(definition, new Set([...names, ...features])),
        }),
      ));
  }

  return {
    async names() {
      await sourcesReady();
      availability.clearCache();
      return (await usable()).map(({ name }) => name);
    },
    definitions: async (contextLength) => (await offered(contextLength)).definitions,
    describe: (names) =>
      Promise.all(
        chosen()
          .filter(({ name }) => names.includes(name))
          .map((tool) => tool.definition()),
      ),
    async prepare(calls) {
      availability.clearCache();
      const { names: offeredNames, bridge } = await offered();
      // Checking the availability of tools that were not offered is slow, and few calls need it.
      const shown = chosen().filter(({ name }) => offeredNames.has(name));
      const isShown = (call: ToolCall) => shown.some(({ name }) => name === call.name);
      const present = calls.every(isShown)
        ? shown
        : await callableTools([...chosen(), ...bridge], offeredNames, availability);
      const tools = new Map(present.map((tool) => [tool.name, tool]));
      for (const tool of present) prepared.set(tool.name, tool);
      const lookup = { tools, offered: [...offeredNames], unavailableReason: availability.unavailableReason, logger };
      return Promise.all(calls.map((call) => prepareCall(call, lookup)));
    },
    get: (name) => prepared.get(name) as Tool,
  };
}

/** The tools a model may call: all that were offered, even if unavailable by now, and the available rest. */
async function callableTools(
  tools: readonly Tool[],
  offeredNames: ReadonlySet<string>,
  availability: ReturnType<typeof createAvailability>,
): Promise<Tool[]> {
  const others = new Set(await availability.filter(tools.filter(({ name }) => !offeredNames.has(name))));
  return tools.filter((tool) => offeredNames.has(tool.name) || others.has(tool));
}

/** The share of the context window that third-party definitions may take. */
const WINDOW_SHARE = 0.05;
const CHARACTERS_PER_TOKEN = 4;

/** The tools that are offered to the model, and the bridge to all others. */
type OfferedTools = {
  definitions: readonly ToolDefinition[];
  /** Names of the offered tools, including the bridge. */
  names: ReadonlySet<string>;
  bridge: readonly Tool[];
};

type OfferOptions = {
  /** All available tools, in order. */
  tools: readonly Tool[];
  isBuiltIn(tool: Tool): boolean;
  /** Tools may still be added, so the bridge must be offered from the start. */
  mayGrow: boolean;
  contextLength: number | undefined;
  resolvePassages: ResolvePassages;
  /** The tools that are available at the time of the call and were not offered. */
  hiddenTools(offeredNames: ReadonlySet<string>): Promise<readonly Tool[]>;
};

/**
 * Decides once which tools are offered. Tools that are added later are reached through the bridge, so the definitions
 * in the request never change.
 */
async function selectOfferedTools(parts: OfferOptions): Promise<OfferedTools> {
  const { tools, isBuiltIn, mayGrow, contextLength, hiddenTools, resolvePassages } = parts;
  const candidates = tools.filter(({ onDemand }) => !onDemand);
  const definitions = new Map(
    await Promise.all(candidates.map(async (tool) => [tool, await tool.definition()] as const)),
  );
  const foreign = candidates.filter((tool) => !isBuiltIn(tool));
  const size = JSON.stringify(foreign.map((tool) => definitions.get(tool))).length / CHARACTERS_PER_TOKEN;
  const tooMuch = contextLength !== undefined && size > contextLength * WINDOW_SHARE;
  const shown = candidates.filter((tool) => isBuiltIn(tool) || !tooMuch);
  const needsBridge = mayGrow || shown.length < tools.length;
  const offeredNames = new Set(shown.map(({ name }) => name));
  const hidden = tools.filter(({ name }) => !offeredNames.has(name));
  const groups = [...new Set(hidden.map(({ toolset }) => toolset))].sort();
  // Third-party descriptions are never expanded, even if they contain `{{NAME: …}}`.
  const define = (tool: Tool, definition: ToolDefinition, available: ReadonlySet<string>) =>
    isBuiltIn(tool) ? resolvePassages(definition, available) : definition;
  const further = {
    tools: () => hiddenTools(offeredNames),
    isBuiltIn,
    async define(tool: Tool) {
      const lookup = new Set([...offeredNames, ...(await hiddenTools(offeredNames)).map(({ name }) => name)]);
      return define(tool, await tool.definition(), lookup);
    },
  };
  const bridge = needsBridge ? createBridge(further, groups) : [];
  for (const tool of bridge) offeredNames.add(tool.name);
  const all = shown.map((tool) => define(tool, definitions.get(tool) as ToolDefinition, offeredNames));
  return {
    definitions: [...all, ...(await Promise.all(bridge.map((tool) => tool.definition())))],
    names: offeredNames,
    bridge,
  };
}
