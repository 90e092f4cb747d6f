import * as z from 'zod/mini';
import { SKILL_ACTIONS, type SkillChange, type ToolContext } from '../contracts/index.ts';
import { defineTool, ToolDenied } from '../tools/index.ts';
import { withoutUndefined } from '../util/index.ts';
import { explainRefusal, requireSkills } from './skills/skill-answers.ts';

const text = (description?: string) =>
  z.optional(description === undefined ? z.string() : z.string().check(z.describe(description)));

export const skillManageTool = defineTool({
  name: 'skill_manage',
  toolset: 'skills',
  emoji: '🧩',
  asksBefore: 'every change, if `skills.write_approval` is on, and changes with scan findings',
  description:
    'Create and edit skills: reusable instructions for a type of task. {{memory: Save facts with memory instead.}} create, edit: content is the whole SKILL.md, starting with front matter (name, description). patch: replace old_string with new_string in SKILL.md or in file_path. write_file: create or replace file_path with file_content. remove_file: move file_path to the trash. delete: move the skill to the trash.',
  parameters: z.object({
    action: z.enum(SKILL_ACTIONS),
    name: z.string().check(z.describe('Lower-case words joined by hyphens.')),
    content: text(),
    old_string: text(),
    new_string: text(),
    replace_all: z.optional(z.boolean()),
    category: text('For create, e.g. coding.'),
    file_path: text('Path inside references/, templates/, scripts/ or assets/.'),
    file_content: text('For write_file: new content of file_path.'),
    absorbed_into: text('For delete: skill into which this skill was merged.'),
  }),
  concurrency: { mode: 'barrier' },
  requiredServices: ['skills'],
  run: (args, context) =>
    explainRefusal(async () => {
      refusePlanMode(context);
      const change: SkillChange = withoutUndefined({
        action: args.action,
        name: args.name,
        content: args.content,
        category: args.category,
        oldString: args.old_string,
        newString: args.new_string,
        replaceAll: args.replace_all,
        filePath: args.file_path,
        fileContent: args.file_content,
        absorbedInto: args.absorbed_into,
      });
      const { subject, approvalReasons, apply } = await requireSkills(context).plan(change);
      if (approvalReasons.length > 0) await requireApproval(subject, approvalReasons, context);
      return apply();
    }),
});

function refusePlanMode({ approvals }: ToolContext): void {
  if (approvals.planMode)
    throw new ToolDenied(
      'Plan mode is on, so skills may not be changed. Nothing was written. Put the change into your plan instead.',
    );
}

async function requireApproval(
  subject: string,
  doubts: readonly { rule: string; matched: string }[],
  context: ToolContext,
): Promise<void> {
  const judgement = { verdict: 'ask' as const, reasons: [...doubts] };
  const question = { toolName: 'skill_manage', subject, judgement, access: 'write' as const };
  const decision = await context.approvals.decide(question, context);
  if (!decision.allowed) throw new ToolDenied(decision.message);
}
