import type { Clock, ToolCall } from '../base/index.ts';
import type { Logger, PreparedCall, ToolDefinition } from '../contracts/index.ts';
import { createAllTools } from './all-tools.ts';
import { createAvailability } from './availability.ts';
import { createBridge } from './bridge.ts';
import { type ForCompany, rememberCompanies } from './for-company.ts';
import { prepareCall } from './prepare-call.ts';
import type { ToolSelection } from './selection/select-tools.ts';
import type { Tool, ToolNeeds, ToolSource } from './tool.ts';

export type StockOptions = {
  /** The built-in tools. */
  tools: readonly Tool[];
  /** Shared by agents that share them. */
  forCompany?: ForCompany;
  /** Where further tools come from, while the program runs. */
  sources?: readonly ToolSource[];
  /** Built-in tools that those may replace. */
  replaceable?: readonly string[];
  /** All of them where nothing is chosen. */
  selection?: ToolSelection | undefined;
  /** What tools that need a variable look at. */
  variables?: ToolNeeds['variables'];
  services?: ToolNeeds['services'];
};

/** The tools of one agent: which there are, which of them the model is told of, and which one a call means. */
export interface Stock {
  names(): Promise<readonly string[]>;
  definitions(contextLength?: number): Promise<readonly ToolDefinition[]>;
  describe(names: readonly string[]): Promise<readonly ToolDefinition[]>;
  prepare(calls: readonly ToolCall[]): Promise<PreparedCall[]>;
  /** The tool of a call that was prepared. */
  get(name: string): Tool;
}

export function createStock(options: StockOptions, clock: Clock, logger: Logger): Stock {
  const { tools: builtIn, sources = [], replaceable = [], selection, variables = {}, services = {} } = options;
  const allTools = createAllTools({ builtIn, sources, replaceable, logger });
  const { forCompany = rememberCompanies() } = options;
  const availability = createAvailability({ variables, services }, clock, logger);
  // A tool may be gone by the time its call runs; what was prepared is run.
  const prepared = new Map<string, Tool>();
  let offer: Promise<Offer> | undefined;

  function chosen(): Tool[] {
    return [...allTools.current().values()].filter((tool) => selection?.(tool, allTools.isBuiltIn(tool)) ?? true);
  }
  const usable = () => availability.filter(chosen());
  const waited = sources.flatMap((source) => (source.ready ? [source.ready] : []));
  let settled: Promise<unknown> | undefined;
  /** Once: what comes later is found through the bridge. */
  const sourcesReady = () => (settled ??= Promise.all(waited.map((ready) => ready())));
  const beyond = async (told: ReadonlySet<string>) => (await usable()).filter(({ name }) => !told.has(name));

  function offered(contextLength?: number): Promise<Offer> {
    const { isBuiltIn } = allTools;
    const mayGrow = sources.length > 0;
    return (offer ??= sourcesReady()
      .then(usable)
      .then((tools) => makeOffer({ tools, isBuiltIn, mayGrow, contextLength, beyond, forCompany })));
  }

  return {
    async names() {
      await sourcesReady();
      availability.forget();
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
      availability.forget();
      const { told, bridge } = await offered();
      const all = [...chosen(), ...bridge];
      // Hardly any call is about what the model was not told of, and looking at all of that takes each of them its time.
      const shown = all.filter((tool) => told.has(tool.name) && !bridge.includes(tool));
      const isShown = (call: ToolCall) => shown.some(({ name }) => name === call.name);
      const present = calls.every(isShown) ? shown : await knownTo(all, told, availability);
      const tools = new Map(present.map((tool) => [tool.name, tool]));
      for (const tool of present) prepared.set(tool.name, tool);
      const company = { tools, offered: [...told], reasonAgainst: availability.reasonAgainst, logger };
      return Promise.all(calls.map((call) => prepareCall(call, company)));
    },
    get: (name) => prepared.get(name) as Tool,
  };
}

/** A model may call what it was told of, also when that has gone since; of the rest, what is there. */
async function knownTo(
  tools: readonly Tool[],
  told: ReadonlySet<string>,
  availability: ReturnType<typeof createAvailability>,
): Promise<Tool[]> {
  const others = new Set(await availability.filter(tools.filter(({ name }) => !told.has(name))));
  return tools.filter((tool) => told.has(tool.name) || others.has(tool));
}

/** More than this share of the window is too much for definitions that others wrote. */
const WINDOW_SHARE = 0.05;
const CHARACTERS_PER_TOKEN = 4;

/** What a model is told, and what it is to find by searching. */
type Offer = {
  definitions: readonly ToolDefinition[];
  /** The names that are told of, those of the bridge included. */
  told: ReadonlySet<string>;
  bridge: readonly Tool[];
};

type OfferParts = {
  /** Everything that can be used, in order. */
  tools: readonly Tool[];
  isBuiltIn(tool: Tool): boolean;
  /** Tools may still come: then there has to be a way to them from the start. */
  mayGrow: boolean;
  contextLength: number | undefined;
  forCompany: ForCompany;
  /** What can be used at a later time and was not told of. */
  beyond(told: ReadonlySet<string>): Promise<readonly Tool[]>;
};

/** Decides once what is told. Whatever comes later is behind the bridge, so the bytes of this never change. */
async function makeOffer(parts: OfferParts): Promise<Offer> {
  const { tools, isBuiltIn, mayGrow, contextLength, beyond, forCompany } = parts;
  const candidates = tools.filter(({ onDemand }) => !onDemand);
  const definitions = new Map(
    await Promise.all(candidates.map(async (tool) => [tool, await tool.definition()] as const)),
  );
  const foreign = candidates.filter((tool) => !isBuiltIn(tool));
  const size = JSON.stringify(foreign.map((tool) => definitions.get(tool))).length / CHARACTERS_PER_TOKEN;
  const tooMuch = contextLength !== undefined && size > contextLength * WINDOW_SHARE;
  const shown = candidates.filter((tool) => isBuiltIn(tool) || !tooMuch);
  const needsBridge = mayGrow || shown.length < tools.length;
  const told = new Set(shown.map(({ name }) => name));
  const hidden = tools.filter(({ name }) => !told.has(name));
  const groups = [...new Set(hidden.map(({ toolset }) => toolset))].sort();
  // What others wrote is theirs, also where it looks like one of our passages.
  const define = (tool: Tool, definition: ToolDefinition, company: ReadonlySet<string>) =>
    isBuiltIn(tool) ? forCompany(definition, company) : definition;
  const further = {
    tools: () => beyond(told),
    async define(tool: Tool) {
      const company = new Set([...told, ...(await beyond(told)).map(({ name }) => name)]);
      return define(tool, await tool.definition(), company);
    },
  };
  const bridge = needsBridge ? createBridge(further, groups) : [];
  for (const tool of bridge) told.add(tool.name);
  const all = shown.map((tool) => define(tool, definitions.get(tool) as ToolDefinition, told));
  return { definitions: [...all, ...(await Promise.all(bridge.map((tool) => tool.definition())))], told, bridge };
}
