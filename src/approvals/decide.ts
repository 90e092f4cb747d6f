import type { ApprovalGuard, Asked, CommandReview, Decision, Question, Reason } from '../contracts/index.ts';
import { createSemaphore } from '../util/index.ts';
import type { AllowEntries } from './allow-entries.ts';
import { DENY_RULE, type ApprovalGuardOptions } from './guard.ts';
import { PLAN_MESSAGE, PLAN_RULE } from './plan-rule.ts';

type DeciderOptions = Pick<
  ApprovalGuardOptions,
  'mode' | 'attended' | 'unattended' | 'reviewCommand' | 'denialLimit' | 'onAlways'
> & { allowed: AllowEntries };

const DEFAULT_DENIAL_LIMIT = 3;
/** A second model that has not answered by then leaves it to the person. */
const REVIEW_TIMEOUT_MS = 30_000;

/** Decides what a judgement leaves open, by what was said before, by a second model, or by asking. */
export function createDecider(options: DeciderOptions): ApprovalGuard['decide'] {
  const { allowed, attended = true, unattended = 'deny' } = options;
  // One question at a time: the answer to the first may settle the second.
  const oneAtATime = createSemaphore(1);
  const denials = createDenialCount(options.denialLimit ?? DEFAULT_DENIAL_LIMIT);

  function isOpen({ rule, always }: Reason, agent: Asked['agent']): boolean {
    return !agent?.approvedRules.has(rule) && !allowed.hasRule(rule) && !(always !== undefined && allowed.has(always));
  }

  function remember(answer: 'session' | 'always', reasons: readonly Reason[], agent: Asked['agent']): void {
    for (const { rule, always } of reasons) {
      const entry = answer === 'always' ? (always ?? rule) : undefined;
      if (entry === undefined) agent?.approvedRules.add(rule);
      else if (!allowed.has(entry)) {
        allowed.add(entry);
        options.onAlways?.(entry);
      }
    }
  }

  /** Looks at what was allowed again first: while it waited, another answer may have covered it. */
  async function ask(question: Question, asked: Asked): Promise<Decision> {
    const { interaction, agent } = asked;
    const reasons = question.judgement.reasons.filter((reason) => isOpen(reason, agent));
    if (reasons.length === 0) return { allowed: true };
    const review = await reviewed(options, question.subject, reasons, asked);
    if (review === 'approve') return { allowed: true };
    if (review === 'deny') return { allowed: false, message: denials.count(reasons, deniedMessage(reasons)) };
    if (!attended)
      return unattended === 'approve' ? { allowed: true } : { allowed: false, message: nobodyMessage(reasons) };
    const shown = reasons.map(({ rule, matched, always }) => ({
      rule,
      matched,
      ...(always !== undefined && { always }),
    }));
    const answer = await interaction.approve({
      toolName: question.toolName,
      subject: question.subject,
      reasons: shown,
    });
    if (answer === 'deny') return { allowed: false, message: denials.count(reasons, deniedMessage(reasons)) };
    denials.forget(reasons);
    if (answer !== 'once') remember(answer, reasons, agent);
    return { allowed: true };
  }

  return async (question, asked) => {
    const { verdict, reasons } = question.judgement;
    if (verdict === 'block') return { allowed: false, message: blockedMessage(reasons) };
    if (verdict === 'allow') return { allowed: true };
    return oneAtATime.use(() => ask(question, asked));
  };
}

/** Only where every match is one that a second model may speak about; whatever goes wrong is for the person. */
async function reviewed(
  { mode, reviewCommand }: DeciderOptions,
  subject: string,
  reasons: readonly Reason[],
  { signal, sessionId, taskId }: Asked,
): Promise<CommandReview> {
  if (mode !== 'smart' || reviewCommand === undefined || !reasons.every(({ reviewable }) => reviewable)) return 'ask';
  const limit = AbortSignal.timeout(REVIEW_TIMEOUT_MS);
  const ended = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  return reviewCommand(subject, reasons, ended, { sessionId, taskId }).catch(() => 'ask');
}

/** Counts denials in a row, by rule: a model that keeps asking has not understood the answer. */
function createDenialCount(limit: number) {
  const counts = new Map<string, number>();
  return {
    count(reasons: readonly Reason[], message: string): string {
      for (const rule of namesOf(reasons)) counts.set(rule, (counts.get(rule) ?? 0) + 1);
      return namesOf(reasons).some((rule) => (counts.get(rule) ?? 0) >= limit) ? `${message} ${STOP_ASKING}` : message;
    },
    forget(reasons: readonly Reason[]): void {
      for (const rule of namesOf(reasons)) counts.delete(rule);
    },
  };
}

const STOP_ASKING = 'This was denied several times in a row: stop asking for it in this session and finish without it.';

function namesOf(reasons: readonly Reason[]): string[] {
  return [...new Set(reasons.map(({ rule }) => rule))];
}

/** Says plainly that it is over: models otherwise look for a second door. */
function deniedMessage(reasons: readonly Reason[]): string {
  return `Not allowed (${namesOf(reasons).join(', ')}). Nothing was done. Do not try to reach the same result in another way; go on without it, or end and say what you would need.`;
}

function nobodyMessage(reasons: readonly Reason[]): string {
  return `Not allowed (${namesOf(reasons).join(', ')}): this needs the person's approval, and nobody can be asked here. Nothing was done. Do not try another way to the same result; go on without it, or end and say what you would need.`;
}

function blockedMessage(reasons: readonly Reason[]): string {
  const names = namesOf(reasons);
  if (names.includes(PLAN_RULE)) return PLAN_MESSAGE;
  if (names.includes(DENY_RULE))
    return `Blocked: the person's settings deny it (${reasons[0]?.matched ?? ''}). Nothing was done. Do not try another way round.`;
  return `Blocked (${names.join(', ')}). This is never done here, no setting or answer allows it. Do not try another way round.`;
}
