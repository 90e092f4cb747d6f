import type {
  ApprovalAnswer,
  ApprovalRequest,
  ClarifyRequest,
  InteractionAnswer,
  InteractionRequest,
} from '../../../base/index.ts';
import { type Style, printable } from '../style.ts';
import { approvalLine } from '../../text/approval-text.ts';
import { markedRows, panelRows } from './approval-text.ts';

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

/** A denial with a reason. */
const DENIAL = /^(?:d|deny|n|no|w)[\s,:]+(\S[\s\S]*)$/i;

/** The width of an output that does not have one. */
const DEFAULT_COLUMNS = 80;

/** The keys of an approval, for display. */
export const APPROVAL_KEYS = 'o once · s session · a always · d or Esc deny · w say why';
/** The same for typed lines. */
const APPROVAL_WORDS_LINE = 'o once · s session · a always · d deny · d REASON says why';

/** Printed when a question expires without an answer. */
export const UNANSWERED_MESSAGES: Readonly<Record<InteractionRequest['kind'], string>> = {
  approval: 'No answer, so the request was denied.',
  clarify: 'No answer, so the model continues without one.',
};

/** Describes what "always" would allow from now on. */
export function describeAlways({ reasons }: ApprovalRequest): string {
  const offers = reasons.map(({ rule, always }) => approvalLine(always ?? `the rule "${rule}"`));
  return `"always" would allow: ${[...new Set(offers)].join(', ')}`;
}

/** The allow-list entries that "always" would save. */
export function offeredEntries({ reasons }: ApprovalRequest): string[] {
  return [...new Set(reasons.map(({ rule, always }) => always ?? rule))];
}

/** The heading of an approval and its reasons, each on one line. */
export function describeApproval(
  { toolName, reasons }: ApprovalRequest,
  emphasize = (text: string) => text,
): { head: string; reasons: string[] } {
  return {
    head: `! ${approvalLine(toolName)} needs your approval:`,
    reasons: reasons.map(
      ({ rule, matched }) => `  reason: ${approvalLine(rule)} (${emphasize(approvalLine(matched))})`,
    ),
  };
}

/** Formats a question: the text, and the prompt at which the answer is typed. */
export function formatQuestion(
  request: InteractionRequest,
  style: Style,
  columns = DEFAULT_COLUMNS,
): { text: string; prompt: string } {
  if (request.kind === 'clarify') {
    const [head = '', ...choices] = clarifyRows(request, columns);
    return { text: [style.bold(head), ...choices].map((row) => `${row}\n`).join(''), prompt: 'answer › ' };
  }
  const { head, reasons } = describeApproval(request);
  const rows = [
    ...panelRows(head, columns).map(style.yellow),
    ...markedRows(request.subject, columns),
    ...reasons.flatMap((reason) => panelRows(reason, columns)),
    ...[`  ${APPROVAL_WORDS_LINE}`, `  ${describeAlways(request)}`]
      .flatMap((line) => panelRows(line, columns))
      .map(style.dim),
  ];
  return { text: rows.map((row) => `${row}\n`).join(''), prompt: 'o/s/a/d › ' };
}

/** The rows of a question of the model. A line break in it cannot add a choice. */
function clarifyRows(request: ClarifyRequest, columns: number): string[] {
  const choices = request.choices.map((choice, index) => `  ${index + 1}. ${approvalLine(choice)}`);
  return [...questionRows(request, columns), ...choices.flatMap((choice) => panelRows(choice, columns))];
}

/** The same without the choices. */
export function questionRows({ question }: Pick<ClarifyRequest, 'question'>, columns: number): string[] {
  const [first = '', ...others] = printable(question).split('\n');
  return [...panelRows(first, columns), ...others.flatMap((line) => markedRows(line, columns))];
}

/**
 * Parses a typed line as an answer; undefined if it is none. Only an explicit word grants an approval, never an empty
 * line.
 */
export function parseAnswer(request: InteractionRequest, line: string): InteractionAnswer | undefined {
  const typed = line.trim();
  if (request.kind === 'approval') {
    const answer = APPROVAL_WORDS.get(typed.toLowerCase());
    const reason = DENIAL.exec(typed)?.[1];
    if (answer === undefined && reason !== undefined) return { kind: 'approval', answer: 'deny', reason };
    return answer && { kind: 'approval', answer };
  }
  if (typed === '') return undefined;
  const chosen = /^\d+$/.test(typed) ? request.choices[Number(typed) - 1] : undefined;
  return { kind: 'clarify', text: chosen ?? typed };
}
