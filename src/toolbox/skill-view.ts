import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';
import { explainRefusal, formatSkill, requireSkills } from './skills/skill-answers.ts';

export const skillViewTool = defineTool({
  name: 'skill_view',
  toolset: 'skills',
  emoji: '📖',
  description: "Read a skill's SKILL.md, or, with file_path, another of its files.",
  parameters: z.object({
    name: z.string(),
    file_path: z.optional(
      z
        .string()
        .check(
          z.describe(
            'Path of a file in the skill, as listed when you view the skill without file_path. Default: SKILL.md.',
          ),
        ),
    ),
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
