import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';
import { explainRefusal, formatSkill, requireSkills } from './skills/skill-answers.ts';

export const skillViewTool = defineTool({
  name: 'skill_view',
  toolset: 'skills',
  emoji: '📖',
  description: 'Read a skill (SKILL.md), or with file_path one of its files.',
  parameters: z.object({
    name: z.string(),
    file_path: z.optional(z.string().check(z.describe('As listed in the result for the skill.'))),
  }),
  concurrency: { mode: 'parallel' },
  readOnly: true,
  requiredServices: ['skills'],
  run: ({ name, file_path }, context) =>
    explainRefusal(async () => {
      const found = await requireSkills(context).view(name, file_path);
      return file_path === undefined ? formatSkill(found) : found.text;
    }),
});
