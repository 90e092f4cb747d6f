import type { Tool } from '../tool.ts';
import { NAMED_SETS } from './named-sets.ts';
import { resolveNames } from './select-tools.ts';

export type SetDescription = { name: string; description: string; tools: Tool[] };

/** The sets that have a tool here, the groups that tools name themselves among them. */
export function describeSets(known: readonly Tool[]): SetDescription[] {
  const own = known.map(({ toolset }) => toolset);
  const names = new Set([...Object.keys(NAMED_SETS), ...own]);
  return [...names]
    .map((name) => {
      const belongs = resolveNames({ names: [name], place: '' }, known);
      return {
        name,
        description: NAMED_SETS[name]?.description ?? '',
        tools: known.filter((tool) => belongs(tool, true)),
      };
    })
    .filter(({ tools }) => tools.length > 0);
}
