import { systemClock } from '../../base/index.ts';
import { silentLogger, type ToolDefinition } from '../../contracts/index.ts';
import { createAvailability } from '../availability.ts';
import { forCompany } from '../for-company.ts';
import type { Tool, ToolNeeds, ToolTraits } from '../tool.ts';
import { NAMED_SETS } from './named-sets.ts';
import { resolveNames } from './select-tools.ts';

/** `on`: the model can use it. `off`: switched off. `unavailable`: something that it needs is not there. */
export type ToolState = 'on' | 'off' | 'unavailable';
export type ToolReport = ToolTraits &
  Pick<Tool, 'concurrency'> & { definition: ToolDefinition; state: ToolState; reason?: string };
export type SetReport = { name: string; description: string; tools: string[]; state: ToolState | 'partly on' };

/** Which tools and tool sets there are, and what each of them is up to. */
export async function inspectTools(
  tools: readonly Tool[],
  /** Why a tool was not chosen; undefined where it was. */
  whyOff: (tool: Tool) => string | undefined,
  needs: ToolNeeds,
  isBuiltIn: (tool: Tool) => boolean = () => true,
): Promise<{ tools: ToolReport[]; sets: SetReport[] }> {
  const availability = createAvailability(needs, systemClock, silentLogger);
  const states = await Promise.all(
    tools.map(async (tool): Promise<Pick<ToolReport, 'state' | 'reason'>> => {
      const off = whyOff(tool);
      if (off !== undefined) return { state: 'off', reason: off };
      const reason = await availability.reasonAgainst(tool);
      return reason === undefined ? { state: 'on' } : { state: 'unavailable', reason };
    }),
  );
  const present = new Set(tools.filter((_, index) => states[index]?.state === 'on').map(({ name }) => name));
  const reports = await Promise.all(
    tools.map(async ({ definition, load: _, isAvailable: __, ...traits }, index) => ({
      ...traits,
      ...(states[index] as Pick<ToolReport, 'state' | 'reason'>),
      definition: forCompany(await definition(), present),
    })),
  );
  return { tools: reports, sets: inspectSets(tools, reports, isBuiltIn) };
}

/** The sets that have a tool here, the groups that tools name themselves among them. */
function inspectSets(
  tools: readonly Tool[],
  reports: readonly ToolReport[],
  isBuiltIn: (tool: Tool) => boolean,
): SetReport[] {
  const names = new Set([...Object.keys(NAMED_SETS), ...tools.map(({ toolset }) => toolset)]);
  return [...names].flatMap((name) => {
    const belongs = resolveNames({ names: [name], place: '' }, tools);
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
