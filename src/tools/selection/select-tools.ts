import { ConfigurationError, systemClock } from '../../base/index.ts';
import { silentLogger, type ToolDefinition } from '../../contracts/index.ts';
import { joinWithOr, nearestNames } from '../../util/index.ts';
import { createAvailability } from '../availability.ts';
import { resolvePassages } from '../conditional-passages.ts';
import type { Tool, ToolRequirements, ToolTraits } from '../tool.ts';
import { LEGACY_NAMES, NAMED_SETS } from './named-sets.ts';

/** Names of tool sets or tools. `location` is the setting or option that they come from; empty for an argument. */
export type NameList = {
  names: readonly string[];
  location: string;
  /** Unknown names are ignored, because the list comes from a file that another program may share. */
  ignoresUnknown?: boolean;
};
export type ToolChoice = { enabled?: NameList | undefined; disabled?: NameList | undefined };

/** Whether an agent has a tool; `builtIn` is true for the tools that ship with Hermes. */
export type ToolSelection = (tool: Tool, builtIn: boolean) => boolean;

/** With `enabled`, only those; with `disabled`, all but those; with both, the difference; with neither, all. */
export function selectTools({ enabled, disabled }: ToolChoice, known: readonly Tool[]): ToolSelection {
  const wanted = enabled && resolveNames(enabled, known);
  const unwanted = disabled && resolveNames(disabled, known);
  return (tool, builtIn) => (wanted?.(tool, builtIn) ?? true) && !(unwanted?.(tool, builtIn) ?? false);
}

/** Why a tool is not selected and where to change that; undefined if it is selected. */
export function whyNotChosen(
  { enabled, disabled }: ToolChoice,
  known: readonly Tool[],
): (tool: Tool, builtIn?: boolean) => string | undefined {
  const wanted = enabled && resolveNames(enabled, known);
  const unwanted = (disabled?.names ?? []).map((name) => ({
    name,
    covers: resolveNames({ ...disabled, names: [name], location: disabled?.location ?? '' }, known),
  }));
  return (tool, builtIn = true) => {
    const against = unwanted.find(({ covers }) => covers(tool, builtIn));
    if (against) return `disabled by ${against.name} in ${disabled?.location}`;
    return wanted?.(tool, builtIn) === false ? `not listed in ${enabled?.location}` : undefined;
  };
}

/** Resolves names of toolsets and tools, and `all`, to a predicate. */
export function resolveNames(
  { names, location, ignoresUnknown = false }: NameList,
  known: readonly Tool[],
): ToolSelection {
  const sets = new Set<string>();
  const tools = new Set<string>();
  const there = knownNames(known);
  let open = false;
  let all = false;

  function add(name: string): void {
    if (sets.has(name)) return;
    // The name may also be a toolset that tools of MCP servers and plugins declare.
    sets.add(name);
    const found = Object.hasOwn(NAMED_SETS, name) ? NAMED_SETS[name] : undefined;
    if (!found) tools.add(name);
    for (const tool of found?.tools ?? []) tools.add(tool);
    open ||= found?.open ?? false;
    found?.includes?.forEach(add);
  }

  for (const given of names) {
    const name = (Object.hasOwn(LEGACY_NAMES, given) ? LEGACY_NAMES[given] : undefined) ?? given;
    if (name === 'all' || name === '*') all = true;
    else if (there.has(name) || isThirdPartyName(name)) add(name);
    else if (!ignoresUnknown) throw unknownName(given, location, there);
  }
  return (tool, builtIn) => all || tools.has(tool.name) || sets.has(tool.toolset) || (open && !builtIn);
}

/** The names of a list that are neither a tool set nor a tool. */
export function findUnknownNames({ names }: Pick<NameList, 'names'>, known: readonly Tool[]): string[] {
  const there = knownNames(known);
  return names.filter((name) => {
    const isKnown = there.has(name) || Object.hasOwn(LEGACY_NAMES, name) || isThirdPartyName(name);
    return !isKnown && name !== 'all' && name !== '*';
  });
}

/** A server or plugin may still be starting, so its names are not checked. */
function isThirdPartyName(name: string): boolean {
  return /^(?:mcp|plugin)[-_:]/.test(name);
}

function knownNames(known: readonly Tool[]): Set<string> {
  return new Set([
    ...Object.keys(NAMED_SETS),
    ...Object.values(NAMED_SETS).flatMap(({ tools = [] }) => tools),
    ...known.flatMap(({ name, toolset }) => [name, toolset]),
  ]);
}

function unknownName(name: string, location: string, known: ReadonlySet<string>): ConfigurationError {
  const near = nearestNames(name, [...known, ...Object.keys(LEGACY_NAMES)], 3);
  const meant = near.length === 0 ? '' : ` Did you mean ${joinWithOr(near)}?`;
  return new ConfigurationError(
    `${location === '' ? '' : `${location}: `}${JSON.stringify(name)} is not a known tool set or tool.${meant}`,
    {
      hint: 'Run `hermes tools list` to see all tool sets and tools.',
    },
  );
}

/** `on`: the model can use it. `off`: disabled. `unavailable`: a requirement is missing. */
type ToolState = 'on' | 'off' | 'unavailable';
export type ToolReport = ToolTraits &
  Pick<Tool, 'concurrency'> & { definition: ToolDefinition; state: ToolState; reason?: string };
export type SetReport = { name: string; description: string; tools: string[]; state: ToolState | 'partly on' };

/** Reports all tools and toolsets with their state. */
export async function inspectTools(
  tools: readonly Tool[],
  /** Why a tool is disabled; undefined if it is not. */
  whyOff: (tool: Tool) => string | undefined,
  needs: ToolRequirements,
  isBuiltIn: (tool: Tool) => boolean = () => true,
): Promise<{ tools: ToolReport[]; sets: SetReport[] }> {
  const availability = createAvailability(needs, systemClock, silentLogger);
  const states = await Promise.all(
    tools.map(async (tool): Promise<Pick<ToolReport, 'state' | 'reason'>> => {
      const off = whyOff(tool);
      if (off !== undefined) return { state: 'off', reason: off };
      const reason = await availability.unavailableReason(tool);
      return reason === undefined ? { state: 'on' } : { state: 'unavailable', reason };
    }),
  );
  const present = new Set(tools.filter((_, index) => states[index]?.state === 'on').map(({ name }) => name));
  const reports = await Promise.all(
    tools.map(async ({ definition, load: _, isAvailable: __, ...traits }, index) => ({
      ...traits,
      ...(states[index] as Pick<ToolReport, 'state' | 'reason'>),
      definition: resolvePassages(await definition(), present),
    })),
  );
  return { tools: reports, sets: inspectSets(tools, reports, isBuiltIn) };
}

/** The toolsets that have at least one tool, including those that only tools declare. */
function inspectSets(
  tools: readonly Tool[],
  reports: readonly ToolReport[],
  isBuiltIn: (tool: Tool) => boolean,
): SetReport[] {
  const names = new Set([...Object.keys(NAMED_SETS), ...tools.map(({ toolset }) => toolset)]);
  return [...names].flatMap((name) => {
    const belongs = resolveNames({ names: [name], location: '' }, tools);
    const members = reports.filter((_, index) => {
      const tool = tools[index] as Tool;
      return belongs(tool, isBuiltIn(tool));
    });
    if (members.length === 0) return [];
    const description = Object.hasOwn(NAMED_SETS, name) ? (NAMED_SETS[name]?.description ?? '') : '';
    return [{ name, description, tools: members.map((tool) => tool.name), state: stateOf(members) }];
  });
}

function stateOf(members: readonly ToolReport[]): SetReport['state'] {
  if (members.every(({ state }) => state === 'on')) return 'on';
  if (members.some(({ state }) => state === 'on')) return 'partly on';
  return members.some(({ state }) => state === 'unavailable') ? 'unavailable' : 'off';
}
