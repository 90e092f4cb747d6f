import { shorten } from '../../../util/index.ts';
import { showable } from '../../text/style.ts';
import type { SlashContext } from '../slash-context.ts';

const WIDEST = 24;
const SHOWN = 80;

/** `/skills`: the skills by category, as they are called. */
export async function skillsCommand({ runtime, print }: SlashContext): Promise<void> {
  const { skills, faults } = await runtime.skills().inventory();
  if (skills.length === 0) return print('There are no skills. `hermes skills install` brings some.\n');
  const width = Math.min(WIDEST, Math.max(...skills.map(({ name }) => name.length)));
  let category: string | undefined;
  const lines = skills.flatMap((skill) => {
    const heading = skill.category === category ? [] : [`${showable(skill.category)}:`];
    category = skill.category;
    return [...heading, `  /${skill.name.padEnd(width)}  ${showable(shorten(skill.description, SHOWN))}`];
  });
  const broken = faults.length === 0 ? [] : [`${faults.length} cannot be used: hermes skills list says why.`];
  print(`${[...lines, ...broken].join('\n')}\n`);
}
