import type { ToolDefinition } from '../contracts/index.ts';
import { createBridge } from './bridge.ts';
import type { ForCompany } from './for-company.ts';
import type { Tool } from './tool.ts';

/** More than this share of the window is too much for definitions that others wrote. */
const WINDOW_SHARE = 0.05;
const CHARACTERS_PER_TOKEN = 4;

/** What a model is told, and what it is to find by searching. */
export type Offer = {
  definitions: readonly ToolDefinition[];
  /** The names that are told of, those of the bridge included. */
  told: ReadonlySet<string>;
  bridge: readonly Tool[];
};

export type OfferParts = {
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
export async function makeOffer(parts: OfferParts): Promise<Offer> {
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
