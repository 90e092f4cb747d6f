import * as z from 'zod/mini';
import { SKILL_ACTIONS, type SkillChange, type ToolContext } from '../contracts/index.ts';
import { defineTool, ToolDenied } from '../tools/index.ts';
import { withoutUndefined } from '../util/index.ts';
import { explainRefusal, requireSkills } from './skills/skill-answers.ts';

const text = () => z.optional(z.string());

export const skillManageTool = defineTool({
  name: 'skill_manage',
  toolset: 'skills',
  emoji: '🧩',
  asksBefore: 'every change, where `skills.write_approval` is on, and changes in which a scan finds something',
  description:
    'Write skills: ways of working, not facts. create, edit: content is the whole SKILL.md, front matter (name, description) first. patch: old_string becomes new_string in SKILL.md or file_path. Of its files, file_path is in references/, templates/, scripts/ or assets/.',
  parameters: z.object({
    action: z.enum(SKILL_ACTIONS),
    name: z.string(),
    content: text(),
    old_string: text(),
    new_string: text(),
    replace_all: z.optional(z.boolean()),
    category: text(),
    file_path: text(),
    file_content: text(),
    absorbed_into: text(),
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
      const { subject, doubts, make } = await requireSkills(context).plan(change);
      if (doubts.length > 0) await requireApproval(subject, doubts, context);
      return make();
    }),
});

function refusePlanMode({ approvals }: ToolContext): void {
  if (approvals.planMode)
    throw new ToolDenied('Plan mode is on: nothing may be changed, skills included. Nothing was done.');
}

async function requireApproval(
  subject: string,
  doubts: readonly { rule: string; matched: string }[],
  context: ToolContext,
): Promise<void> {
  const judgement = { verdict: 'ask' as const, reasons: [...doubts] };
  const decision = await context.approvals.decide({ toolName: 'skill_manage', subject, judgement }, context);
  if (!decision.allowed) throw new ToolDenied(decision.message);
}
