import type { Clock, ToolCall } from '../base/index.ts';
import type { Logger, NewTools, PreparedCall, ToolDefinition } from '../contracts/index.ts';
import { type AllTools, createAllTools } from './all-tools.ts';
import { createAvailability } from './availability.ts';
import { type ResolvePassages, createPassageResolver } from './conditional-passages.ts';
import { createOfferKeeper, type StoredOffer } from './offer-keeper.ts';
import type { OfferOptions } from './offered-tools.ts';
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
  /** What the session setup says about the offered tools; they are restored from it. */
  storedOffer?: StoredOffer | undefined;
};

/** The tools of one agent: which exist, which are offered to the model, and which one a call refers to. */
export interface ToolCatalog {
  names(): Promise<readonly string[]>;
  definitions(contextLength?: number): Promise<readonly ToolDefinition[]>;
  describe(names: readonly string[]): Promise<readonly ToolDefinition[]>;
  offer(): StoredOffer | undefined;
  isOfferRestored(): Promise<boolean>;
  renewOffer(): void;
  findNewTools(): Promise<NewTools | undefined>;
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

  const chosen = createSelection(allTools, selection);
  const usable = () => availability.filter(chosen());
  const sourcesReady = createSourceWait(sources);
  const toolsExcept = async (offeredNames: { has(name: string): boolean }) =>
    (await usable()).filter(({ name }) => !offeredNames.has(name));

  async function offerOptions(contextLength?: number): Promise<OfferOptions> {
    await sourcesReady();
    return {
      tools: await usable(),
      isBuiltIn: allTools.isBuiltIn,
      mayGrow: sources.some(({ isDormant = false }) => !isDormant),
      contextLength,
      hiddenTools: toolsExcept,
      resolvePassages: (definition, names) => resolvePassages(definition, new Set([...names, ...features])),
    };
  }

  const keeper = createOfferKeeper({
    stored: options.storedOffer,
    describeTools: offerOptions,
    hiddenTools: toolsExcept,
  });

  return {
    async names() {
      await sourcesReady();
      availability.clearCache();
      return (await usable()).map(({ name }) => name);
    },
    definitions: async (contextLength) => (await keeper.offered(contextLength)).definitions,
    describe: (names) =>
      Promise.all(
        chosen()
          .filter(({ name }) => names.includes(name))
          .map((tool) => tool.definition()),
      ),
    offer: keeper.stored,
    isOfferRestored: keeper.isRestored,
    renewOffer: keeper.renew,
    findNewTools: keeper.findNewTools,
    async prepare(calls) {
      availability.clearCache();
      const { toolsets, bridge } = await keeper.offered();
      const offeredNames = new Set(toolsets.keys());
      // Checking the availability of tools that were not offered is slow, and few calls need it.
      const shown = chosen().filter(({ name }) => offeredNames.has(name));
      const isShown = (call: ToolCall) => shown.some(({ name }) => name === call.name);
      const present = calls.every(isShown)
        ? shown
        : await callableTools([...chosen(), ...bridge], offeredNames, availability);
      const tools = new Map(present.map((tool) => [tool.name, tool]));
      for (const tool of present) prepared.set(tool.name, tool);
      const missing = missingTools(toolsets, [...chosen(), ...bridge], allTools.current());
      const { unavailableReason } = availability;
      const lookup = { tools, offered: [...offeredNames], missing, unavailableReason, logger };
      // Loaded on demand, because many turns need no tool.
      const { prepareCall } = await import('./prepare-call.ts');
      return Promise.all(calls.map((call) => prepareCall(call, lookup)));
    },
    get: (name) => prepared.get(name) as Tool,
  };
}

/** The selected tools, computed again only if the tools change. */
function createSelection(allTools: AllTools, selection: ToolSelection | undefined): () => readonly Tool[] {
  let selected: { from: ReadonlyMap<string, Tool>; tools: readonly Tool[] } | undefined;
  return () => {
    const from = allTools.current();
    if (selected?.from === from) return selected.tools;
    const tools = [...from.values()].filter((tool) => selection?.(tool, allTools.isBuiltIn(tool)) ?? true);
    selected = { from, tools };
    return tools;
  };
}

/** Waits for the sources once. Tools that are added later are found through the bridge. */
function createSourceWait(sources: readonly ToolSource[]): () => Promise<unknown> {
  const waited = sources.flatMap((source) => (source.ready ? [source.ready] : []));
  let settled: Promise<unknown> | undefined;
  return () => (settled ??= Promise.all(waited.map((ready) => ready())));
}

/** The offered tools that are gone, each with its tool set; with an empty one if the tool exists and is disabled. */
function missingTools(
  offered: ReadonlyMap<string, string>,
  usable: readonly Tool[],
  existing: ReadonlyMap<string, Tool>,
): Map<string, string> {
  const present = new Set(usable.map(({ name }) => name));
  const missing = [...offered].filter(([name]) => !present.has(name));
  return new Map(missing.map(([name, toolset]) => [name, existing.has(name) ? '' : toolset]));
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
