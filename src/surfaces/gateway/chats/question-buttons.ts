import {
  type ApprovalAnswer,
  type InteractionAnswer,
  type InteractionRequest,
  wholeQuestion,
} from '../../../base/index.ts';
import type { ChannelButton, StoredQuestion } from '../../../contracts/index.ts';
import { redactSecrets, takeStart } from '../../../util/index.ts';
import { approvalLine, approvalText } from '../../text/approval-text.ts';
import { formatDuration } from '../../text/format-duration.ts';

const ANSWERS: readonly { answer: ApprovalAnswer; label: string; style?: ChannelButton['style'] }[] = [
  { answer: 'once', label: 'Allow once', style: 'primary' },
  { answer: 'session', label: 'Allow for this session' },
  { answer: 'always', label: 'Always allow' },
  { answer: 'deny', label: 'Deny', style: 'danger' },
];

/** The text of a question, as Markdown with credentials redacted. Without buttons, it says how to answer. */
export function describeQuestion(request: InteractionRequest, hasButtons: boolean): string {
  return redactSecrets(composeQuestion(request, hasButtons));
}

function composeQuestion(request: InteractionRequest, hasButtons: boolean): string {
  if (request.kind === 'clarify') {
    const choices = request.choices.map((choice, index) => `${index + 1}. ${choice}`);
    const how = choices.length === 0 ? 'Reply with your answer.' : 'Reply with a number, or in your own words.';
    return [wholeQuestion(request), ...choices, ...(hasButtons ? [] : ['', how])].join('\n');
  }
  const rules = request.reasons.map(({ rule }) => rule).join(', ');
  const subject = approvalText(request.subject);
  const fence = '`'.repeat(Math.max(3, ...[...subject.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  const about = approvalLine(`${request.toolName}${rules === '' ? '' : `: ${rules}`}`);
  const asked = `**Allow this?** (${about})\n${fence}\n${subject}\n${fence}`;
  return hasButtons ? asked : `${asked}\n${HOW_TO_APPROVE}`;
}

const HOW_TO_APPROVE =
  'Reply `/approve` to allow it once, `/approve session` or `/approve always` to allow it from now on, or `/deny` with a reason if you like.';

/** The buttons of a question. Their data is `id:answer`; a choice is given by its index. */
export function questionButtons(id: string, request: InteractionRequest): ChannelButton[][] {
  if (request.kind === 'approval') {
    const buttons = ANSWERS.map(({ answer, label, style }) => {
      const button: ChannelButton = { label, data: `${id}:${answer}` };
      if (style !== undefined) button.style = style;
      return button;
    });
    return [buttons.slice(0, 2), buttons.slice(2)];
  }
  return request.choices.map((choice, index) => [{ label: choice, data: `${id}:${index}` }]);
}

/** The question and the answer of a pressed button; undefined for data that is not ours. */
export function readButton(data: string): { id: string; value: string } | undefined {
  const at = data.lastIndexOf(':');
  return at <= 0 ? undefined : { id: data.slice(0, at), value: data.slice(at + 1) };
}

/** The answer that a button gives to a question; undefined if it is none. */
export function toAnswer(value: string, request: InteractionRequest): InteractionAnswer | undefined {
  if (request.kind === 'approval') {
    const found = ANSWERS.find(({ answer }) => answer === value);
    return found && { kind: 'approval', answer: found.answer };
  }
  const choice = /^\d+$/.test(value) ? request.choices[Number(value)] : undefined;
  return choice === undefined ? undefined : { kind: 'clarify', text: choice };
}

/** The answer that a reply gives to a clarify question: the number of a choice, or any other text. */
export function replyToChoices(text: string, choices: readonly string[]): string {
  const number = /^\s*(\d{1,3})[.)]?\s*$/.exec(text)?.[1];
  return (number === undefined ? undefined : choices[Number(number) - 1]) ?? text;
}

export type Decision = { answer: ApprovalAnswer; reason?: string; all: boolean };

/** Reads `/approve [all] [session|always]` and `/deny [all] [REASON]`; undefined for anything else. */
export function readDecision(text: string): Decision | undefined {
  const [, name, rest = ''] = /^\/(approve|deny)(?:@\w+)?(?:\s+([\s\S]*))?$/i.exec(text.trim()) ?? [];
  if (name === undefined) return undefined;
  const [, all, given = ''] = /^(all\b)?\s*([\s\S]*)$/i.exec(rest.trim()) ?? [];
  if (name.toLowerCase() === 'deny') {
    return { answer: 'deny', all: all !== undefined, ...(given !== '' && { reason: given }) };
  }
  const scope = /^(session|always)\b/i.exec(given)?.[1]?.toLowerCase();
  return { answer: (scope as 'session' | 'always' | undefined) ?? 'once', all: all !== undefined };
}

const DECISIONS: Readonly<Record<ApprovalAnswer, string>> = {
  once: '✅ Allowed once',
  session: '✅ Allowed for this session',
  always: '✅ Always allowed',
  deny: '❌ Denied',
};

/** Timers may end slightly before the time that is stored. */
const TOLERANCE_MS = 1000;
const MAX_SHOWN = 200;

/** The outcome of a question, as Markdown: who decided, or that nobody did. */
export function describeOutcome(question: StoredQuestion, now: number): string {
  const { answer, answeredBy, state, askedAt, expiresAt, request } = question;
  const by = answeredBy === undefined ? '' : ` by ${plain(answeredBy.name ?? answeredBy.id)}`;
  if (answer?.kind === 'approval') {
    const reason = answer.reason === undefined ? '' : `: ${plain(answer.reason)}`;
    return `${DECISIONS[answer.answer]}${by}${reason}`;
  }
  if (answer?.kind === 'clarify') return `✅ Answered${by}: ${plain(answer.text)}`;
  if (state === 'expired' || (state === 'open' && now >= expiresAt - TOLERANCE_MS)) {
    const what = request.kind === 'approval' ? 'so the call was denied' : 'so the turn continues without an answer';
    return `⌛ Nobody answered within ${formatDuration((expiresAt - askedAt) / 1000)}, ${what}`;
  }
  return 'Closed, because the turn was interrupted';
}

/** Text of people on one line, without Markdown. */
function plain(text: string): string {
  const line = text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .replace(/[\\`*_~[\]<>|#]/g, '')
    .trim();
  return line.length <= MAX_SHOWN ? line : `${takeStart(line, MAX_SHOWN)}…`;
}
