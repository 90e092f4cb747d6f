import type { ApprovalGuard, ApprovalReason, Interaction, Judgement } from '../../../contracts/index.ts';
import type { GuardFacts } from '../../../runtime/index.ts';

const MATCHED_LENGTH = 200;

/**
 * Asks before every operation that sends or runs something while the conversation contains text of others. Only an
 * answer for the session covers it, until there is more such text: the rule names what there is.
 */
export function guardOutsideText(
  guard: ApprovalGuard,
  { attended, isOff }: GuardFacts,
  describe: () => string | undefined,
): ApprovalGuard {
  function addReason(judgement: Judgement, matched: string): Judgement {
    const text = isOff() ? undefined : describe();
    if (text === undefined || judgement.verdict === 'block') return judgement;
    const rule = `act in a conversation that contains text of others (${text})`;
    if (judgement.reasons.some((reason) => reason.rule === rule)) return judgement;
    // Without a user, no setting for unattended runs may allow it.
    const reason: ApprovalReason = attended ? { rule, matched } : { rule, matched, everyTime: true };
    return { verdict: 'ask', reasons: [reason, ...judgement.reasons] };
  }

  return {
    ...guard,
    judgeTool(tool) {
      const judgement = guard.judgeTool(tool);
      return tool.reads && tool.sends !== true ? judgement : addReason(judgement, tool.name);
    },
    decide(question, asked) {
      if ((question.access ?? 'run') !== 'run' || describe() === undefined) return guard.decide(question, asked);
      const judgement = addReason(question.judgement, question.subject.slice(0, MATCHED_LENGTH));
      return guard.decide({ ...question, judgement }, { ...asked, interaction: forSessionOnly(asked.interaction) });
    },
  };
}

/** A permanent answer would also count in conversations with text of others that nobody has seen yet. */
function forSessionOnly(interaction: Interaction): Interaction {
  return {
    ...interaction,
    async approve(request) {
      const answer = await interaction.approve(request);
      const isAlways = answer === 'always' || (typeof answer === 'object' && answer.answer === 'always');
      return isAlways ? 'session' : answer;
    },
  };
}

const FETCHING: readonly string[] = ['web_extract', 'vision_analyze'];

/**
 * The guard of an agent that nobody watches: in a conversation that contains text of others, nothing is run, sent,
 * written or remembered, whatever the approval mode is. Only `urls` may be fetched, because they carry nothing that the
 * model wrote.
 */
export function denyForOutsideText(
  guard: ApprovalGuard,
  describe: () => string | undefined,
  urls: readonly string[],
): ApprovalGuard {
  const strict = guardOutsideText(guard, { attended: false, isOff: () => false }, describe);
  return {
    ...strict,
    get planMode() {
      return guard.planMode || describe() !== undefined;
    },
    decide(question, asked) {
      const { toolName, subject, access = 'run' } = question;
      if (FETCHING.includes(toolName) && subject.split('\n').every((url) => urls.includes(url)))
        return guard.decide({ ...question, judgement: { verdict: 'allow', reasons: [] } }, asked);
      // The strict guard asks before everything that runs; nobody answers.
      return strict.decide(access === 'write' ? { ...question, access: 'run' } : question, asked);
    },
  };
}
