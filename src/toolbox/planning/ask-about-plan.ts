import { PLAN_ANSWERS } from '../../base/index.ts';
import type { PlanMode, ToolContext } from '../../contracts/index.ts';

const QUESTION = 'Approve this plan?';

const IS_OFF = 'Plan mode is off, so no approval is needed. Carry out the plan.';
const NOBODY =
  'No user answered, so the plan is not approved and plan mode stays on. End your turn with the plan as the answer.';
const APPROVED = 'The user approved the plan and plan mode has ended. Carry the plan out now.';
const EDITED = 'The user changed the plan, approved it, and plan mode has ended. Carry out exactly this plan now:';
const REJECTED =
  'The user rejected the plan, and plan mode stays on. Do not present another plan now: end your turn and ask what to do instead.';
const CRITICISED =
  'The user did not approve the plan, and plan mode stays on. Revise the plan and present it again. The words of the user:';

/** Asks the user to approve a plan, and ends plan mode if the answer is an approval. Returns what the model reads. */
export async function askAboutPlan(plan: string, { interaction, services }: ToolContext): Promise<string> {
  const { planMode } = services;
  if (planMode?.isOn() !== true) return planMode === undefined ? NOBODY : IS_OFF;
  const choices = [PLAN_ANSWERS.approve, PLAN_ANSWERS.reject];
  return decide(await interaction.clarify({ question: QUESTION, choices, plan }), planMode);
}

/** Only the exact answers end plan mode. */
function decide(given: string | undefined, planMode: PlanMode): string {
  const answer = given?.trim() ?? '';
  if (answer === '') return NOBODY;
  if (answer === PLAN_ANSWERS.reject) return REJECTED;
  const edited = answer.startsWith(PLAN_ANSWERS.edited) ? answer.slice(PLAN_ANSWERS.edited.length).trim() : '';
  if (answer !== PLAN_ANSWERS.approve && edited === '') return `${CRITICISED}\n\n${answer}`;
  planMode.end();
  return edited === '' ? APPROVED : `${EDITED}\n\n${edited}`;
}
