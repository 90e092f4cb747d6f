import type { Skill, SkillNeeds } from '../contracts/index.ts';
import { takeStart } from '../util/index.ts';

const INTRO =
  '# Skills\nIf one of these skills fits the task, read it with `skill_view` before you start. `skills_list` shows their descriptions.';

const DESCRIPTION_CHARACTERS = 58;
/** English prose has slightly more than four characters per token; in other scripts a character may be a token. */
const CHARACTERS_PER_TOKEN = 4;
const sizeOf = (text: string) => text.length + (CHARACTERS_PER_TOKEN - 1) * (text.match(/[^\0-\x7f]/g)?.length ?? 0);

/**
 * The skill index by category, within a token budget. Bundled skills have self-explanatory names; other skills get
 * the start of their description. If the budget is too small, descriptions are dropped first, then names.
 */
export function formatIndex(
  skills: readonly Skill[],
  { toolNames }: Pick<SkillNeeds, 'toolNames'>,
  budgetTokens: number,
): string | undefined {
  if (skills.length === 0 || !toolNames.includes('skill_view')) return undefined;
  const room = budgetTokens * CHARACTERS_PER_TOKEN - sizeOf(INTRO);
  const groups = byCategory(skills);
  const described = groups.flatMap(([category, members]) => {
    const others = members.filter(({ origin }) => origin !== 'bundled');
    const shipped = members.filter(({ origin }) => origin === 'bundled');
    return [nameAll(category, shipped), ...others.map(describe)];
  });
  const named = groups.map(([category, members]) => nameAll(category, members));
  const lines = [described, named].find((candidate) => sizeOf(candidate.join('\n')) < room);
  return [INTRO, ...(lines ?? cutNames(groups, room))].join('\n');
}

function nameAll(category: string, skills: readonly Skill[]): string {
  const names = skills.map(({ name }) => name).join(', ');
  return names === '' ? `${category}:` : `${category}: ${names}`;
}

function describe({ name, description }: Skill): string {
  const isLong = description.length > DESCRIPTION_CHARACTERS;
  return `- ${name}: ${isLong ? `${takeStart(description, DESCRIPTION_CHARACTERS - 1)}…` : description}`;
}

/** As many names as fit, followed by a line that says how to list the rest. */
function cutNames(groups: readonly Group[], room: number): string[] {
  const names = groups.flatMap(([, members]) => members.map(({ name }) => name));
  const rest = (left: number) => `… and ${left} more: list them with skills_list`;
  const kept: string[] = [];
  let used = sizeOf(rest(names.length)) + 1;
  for (const name of names) {
    used += name.length + 2;
    if (used >= room) break;
    kept.push(name);
  }
  if (kept.length === 0) return [`${names.length} skills: list them with skills_list`];
  return [kept.join(', '), rest(names.length - kept.length)];
}

type Group = readonly [category: string, members: readonly Skill[]];

function byCategory(skills: readonly Skill[]): Group[] {
  const groups = new Map<string, Skill[]>();
  for (const skill of skills) {
    const members = groups.get(skill.category) ?? [];
    members.push(skill);
    groups.set(skill.category, members);
  }
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
