import type { Runtime } from '../../../runtime/index.ts';
import { shorten } from '../../../util/index.ts';
import { showable } from '../style.ts';

const WIDEST = 24;
const SHOWN = 80;

/** The skills by category, as they are called. */
export async function describeSkills(runtime: Runtime): Promise<string> {
  const { skills, faults } = await runtime.skills().inventory();
  if (skills.length === 0) return 'There are no skills. `hermes skills install` brings some.\n';
  const width = Math.min(WIDEST, Math.max(...skills.map(({ name }) => name.length)));
  let category: string | undefined;
  const lines = skills.flatMap((skill) => {
    const heading = skill.category === category ? [] : [`${showable(skill.category)}:`];
    category = skill.category;
    return [...heading, `  /${skill.name.padEnd(width)}  ${showable(shorten(skill.description, SHOWN))}`];
  });
  const broken = faults.length === 0 ? [] : [`${faults.length} cannot be used: hermes skills list says why.`];
  return `${[...lines, ...broken].join('\n')}\n`;
}
