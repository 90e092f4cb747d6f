import type { ApprovalAnswer, ApprovalRequest, InteractionAnswer, InteractionRequest } from '../../../base/index.ts';
import { type Style, printable, printableWhole } from '../style.ts';

// A map, because a plain object also has inherited keys such as "constructor".
const APPROVAL_WORDS: ReadonlyMap<string, ApprovalAnswer> = new Map([
  ['o', 'once'],
  ['once', 'once'],
  ['s', 'session'],
  ['session', 'session'],
  ['a', 'always'],
  ['always', 'always'],
  ['d', 'deny'],
  ['deny', 'deny'],
  // Common alternatives for "deny". A plain "yes" is not accepted, because it does not say for how long.
  ['n', 'deny'],
  ['no', 'deny'],
]);

/** The keys of an approval, for display. */
export const APPROVAL_KEYS = 'o once · s for this session · a always · d deny';

/** Printed when a question expires without an answer. */
export const UNANSWERED_MESSAGES: Readonly<Record<InteractionRequest['kind'], string>> = {
  approval: 'No answer, so the request was denied.',
  clarify: 'No answer, so the model continues without one.',
};

/** Describes what "always" would allow from now on. */
export function describeAlways({ reasons }: ApprovalRequest): string {
  const offers = reasons.map(({ rule, always }) => printableWhole(always ?? `the rule "${rule}"`));
  return `"always" would allow: ${[...new Set(offers)].join(', ')}`;
}

/** Formats a question: the text, and the prompt at which the answer is typed. */
export function formatQuestion(request: InteractionRequest, style: Style): { text: string; prompt: string } {
  if (request.kind === 'clarify') {
    const choices = request.choices.map((choice, index) => `  ${index + 1}. ${printable(choice)}\n`).join('');
    return { text: `${style.bold(printable(request.question))}\n${choices}`, prompt: 'answer › ' };
  }
  const subject = printableWhole(request.subject).replaceAll('\n', '\n    ');
  const reasons = request.reasons.map(
    ({ rule, matched }) => `  reason: ${printable(rule)} (${printableWhole(matched)})\n`,
  );
  const keys = `  ${APPROVAL_KEYS}\n  ${describeAlways(request)}\n`;
  return {
    text: `${style.yellow(`! ${printable(request.toolName)} needs your approval:`)}\n    ${subject}\n${reasons.join('')}${style.dim(keys)}`,
    prompt: 'o/s/a/d › ',
  };
}

/**
 * Parses a typed line as an answer; undefined if it is none. Only an explicit word grants an approval, never an empty
 * line.
 */
export function parseAnswer(request: InteractionRequest, line: string): InteractionAnswer | undefined {
  const typed = line.trim();
  if (request.kind === 'approval') {
    const answer = APPROVAL_WORDS.get(typed.toLowerCase());
    return answer && { kind: 'approval', answer };
  }
  if (typed === '') return undefined;
  const chosen = /^\d+$/.test(typed) ? request.choices[Number(typed) - 1] : undefined;
  return { kind: 'clarify', text: chosen ?? typed };
}
