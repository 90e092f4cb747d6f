import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';
import { askAboutPlan } from './planning/ask-about-plan.ts';

/** Limit of choices, because the user sees them as a menu. */
const MAX_CHOICES = 4;

export const clarifyTool = defineTool({
  name: 'clarify',
  toolset: 'clarify',
  emoji: '❓',
  description:
    'Ask the user one question and wait for the answer. Use it only if a wrong guess would be costly, or before an action that cannot be undone or goes beyond the request. Do not use it to ask for permission to run a command: if a command needs approval, the user is prompted automatically.',
  parameters: z.object({
    question: z.string().check(z.minLength(1)),
    choices: z.optional(
      z
        .array(z.string())
        .check(
          z.maxLength(MAX_CHOICES),
          z.describe(
            'Up to 4 possible answers, the recommended one first. The user may also answer in their own words.',
          ),
        ),
    ),
    plan: z.optional(z.string().check(z.describe('In plan mode: the complete plan to approve, as Markdown.'))),
  }),
  concurrency: { mode: 'barrier' },
  asksThePerson: true,
  async run({ question, choices = [], plan = '' }, context) {
    if (plan.trim() !== '') return askAboutPlan(plan, context);
    const answer = await context.interaction.clarify({ question, choices });
    // An unattended run has to continue without an answer, so this is not a failure.
    if (answer !== undefined && answer.trim() !== '') return answer;
    return 'No user is available to answer. Choose the most sensible option yourself and state your assumption in the final answer.';
  },
});
