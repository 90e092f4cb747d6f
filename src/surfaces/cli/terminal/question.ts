import type { ApprovalAnswer, ApprovalRequest, InteractionAnswer, InteractionRequest } from '../../../base/index.ts';
import { type Style, showable, showableWhole } from '../style.ts';

// A map, because a plain object also answers to names such as "constructor".
const APPROVALS: ReadonlyMap<string, ApprovalAnswer> = new Map([
  ['o', 'once'],
  ['once', 'once'],
  ['s', 'session'],
  ['session', 'session'],
  ['a', 'always'],
  ['always', 'always'],
  ['d', 'deny'],
  ['deny', 'deny'],
  // What people type all the same. A plain yes is no answer, because it does not say for how long.
  ['n', 'deny'],
  ['no', 'deny'],
]);

/** The keys, and what they stand for. */
export const APPROVAL_KEYS = 'o once · s for this session · a always · d deny';

/** What the person is told where nobody answered. */
export const UNANSWERED: Readonly<Record<InteractionRequest['kind'], string>> = {
  approval: 'Nobody answered, so the answer is no.',
  clarify: 'Nobody answered; the model goes on without an answer.',
};

/** How far "always" goes. */
export function describeAlways({ reasons }: ApprovalRequest): string {
  const offers = reasons.map(({ rule, always }) => showableWhole(always ?? `the rule "${rule}"`));
  return `always would allow: ${[...new Set(offers)].join(', ')}`;
}

/** The lines a question is shown with; the last one ends where the answer is typed. */
export function formatQuestion(request: InteractionRequest, style: Style): { text: string; prompt: string } {
  if (request.kind === 'clarify') {
    const choices = request.choices.map((choice, index) => `  ${index + 1}. ${showable(choice)}\n`).join('');
    return { text: `${style.bold(showable(request.question))}\n${choices}`, prompt: 'answer › ' };
  }
  const subject = showableWhole(request.subject).replaceAll('\n', '\n    ');
  const reasons = request.reasons.map(
    ({ rule, matched }) => `  because: ${showable(rule)} (${showableWhole(matched)})\n`,
  );
  const keys = `  ${APPROVAL_KEYS}\n  ${describeAlways(request)}\n`;
  return {
    text: `${style.yellow(`! ${showable(request.toolName)} asks before it goes on:`)}\n    ${subject}\n${reasons.join('')}${style.dim(keys)}`,
    prompt: 'o/s/a/d › ',
  };
}

/**
 * What a typed line answers; undefined where it answers nothing. Nothing but an explicit word allows something: an
 * empty line never does.
 */
export function readAnswer(request: InteractionRequest, line: string): InteractionAnswer | undefined {
  const typed = line.trim();
  if (request.kind === 'approval') {
    const answer = APPROVALS.get(typed.toLowerCase());
    return answer && { kind: 'approval', answer };
  }
  if (typed === '') return undefined;
  const chosen = /^\d+$/.test(typed) ? request.choices[Number(typed) - 1] : undefined;
  return { kind: 'clarify', text: chosen ?? typed };
}
