import type { Clock, ToolCall } from '../base/index.ts';
import type { Logger, PreparedCall, ToolDefinition } from '../contracts/index.ts';
import { createAllTools } from './all-tools.ts';
import { createAvailability } from './availability.ts';
import { type ForCompany, rememberCompanies } from './for-company.ts';
import { makeOffer, type Offer } from './offer.ts';
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
