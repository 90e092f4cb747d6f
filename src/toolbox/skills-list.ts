import * as z from 'zod/mini';
import type { Skill } from '../contracts/index.ts';
import { defineTool } from '../tools/index.ts';
import { explainRefusal, formatList, requireSkills } from './skills/skill-answers.ts';

export const skillsListTool = defineTool({
  name: 'skills_list',
  toolset: 'skills',
  emoji: '📚',
  description: 'List the available skills with their descriptions.',
  parameters: z.object({
    category: z.optional(z.string()),
    query: z.optional(z.string().check(z.describe('Words that must all occur in the name, description or tags.'))),
  }),
  concurrency: { mode: 'parallel' },
  readOnly: true,
  requiredServices: ['skills'],
  run: ({ category, query }, context) =>
    explainRefusal(async () => {
      const skills = requireSkills(context);
      const usable = await skills.usable(await skills.needs());
      const found = usable.filter((skill) => isWanted(skill, category, query));
      if (found.length > 0) return formatList(found);
      if (usable.length === 0) return 'There are no skills.';
      const categories = [...new Set(usable.map((skill) => skill.category))];
      return `No skill matches. There are ${usable.length} skills in the categories ${categories.join(', ')}.`;
    }),
});

function isWanted(skill: Skill, category: string | undefined, query: string | undefined): boolean {
  if (category !== undefined && category !== skill.category && !skill.category.startsWith(`${category}/`)) return false;
  const text = [skill.name, skill.description, ...(skill.tags ?? [])].join(' ').toLowerCase();
  const words = (query ?? '').toLowerCase().split(/\s+/);
  return words.every((word) => text.includes(word));
}
