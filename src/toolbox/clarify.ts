import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

/** More are no longer a choice but a list to read. */
const MAX_CHOICES = 4;

export const clarifyTool = defineTool({
  name: 'clarify',
  toolset: 'clarify',
  emoji: '❓',
  description: 'Ask the user one question. Not for permission, which is asked for by itself.',
  parameters: z.object({
    question: z.string().check(z.minLength(1)),
    choices: z.optional(z.array(z.string()).check(z.maxLength(MAX_CHOICES), z.describe('best first'))),
  }),
  concurrency: { mode: 'barrier' },
  asksThePerson: true,
  async run({ question, choices = [] }, context) {
    const answer = await context.interaction.clarify({ question, choices });
    // No answer is no failure: an unattended run has to go on by itself.
    if (answer !== undefined) return answer;
    return 'Nobody can be asked right now. Choose the most sensible way yourself and say in your answer what you assumed.';
  },
});
