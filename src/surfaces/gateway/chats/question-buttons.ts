import type { ApprovalAnswer, InteractionAnswer, InteractionRequest } from '../../../base/index.ts';
import type { ChannelButton } from '../../../contracts/index.ts';

const ANSWERS: readonly { answer: ApprovalAnswer; label: string; style?: ChannelButton['style'] }[] = [
  { answer: 'once', label: 'Allow once', style: 'primary' },
  { answer: 'session', label: 'Allow for this session' },
  { answer: 'always', label: 'Always allow' },
  { answer: 'deny', label: 'Deny', style: 'danger' },
];

/** The text of a question, as Markdown. */
export function describeQuestion(request: InteractionRequest): string {
  if (request.kind === 'clarify') {
    const choices = (request.choices ?? []).map((choice, index) => `${index + 1}. ${choice}`);
    return [request.question, ...choices].join('\n');
  }
  const rules = request.reasons.map(({ rule }) => rule).join(', ');
  const fence = '`'.repeat(Math.max(3, ...[...request.subject.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `**Allow this?** (${request.toolName}${rules === '' ? '' : `: ${rules}`})\n${fence}\n${request.subject}\n${fence}`;
}

/** The buttons of a question. Their data is `id:answer`; a choice is given by its number. */
export function questionButtons(id: string, request: InteractionRequest): ChannelButton[][] {
  if (request.kind === 'approval') {
    const buttons = ANSWERS.map(({ answer, label, style }) => {
      const button: ChannelButton = { label, data: `${id}:${answer}` };
      if (style !== undefined) button.style = style;
      return button;
    });
    return [buttons.slice(0, 2), buttons.slice(2)];
  }
  return (request.choices ?? []).map((choice, index) => [{ label: choice, data: `${id}:${index}` }]);
}

/** The question and the answer of a pressed button; undefined for data that is not ours. */
export function readButton(data: string): { id: string; value: string } | undefined {
  const at = data.lastIndexOf(':');
  return at <= 0 ? undefined : { id: data.slice(0, at), value: data.slice(at + 1) };
}

/** The answer that a button or a reply gives to a question; undefined if it is none. */
export function toAnswer(value: string, request: InteractionRequest): InteractionAnswer | undefined {
  if (request.kind === 'approval') {
    const found = ANSWERS.find(({ answer }) => answer === value);
    return found && { kind: 'approval', answer: found.answer };
  }
  const choice = /^\d+$/.test(value) ? request.choices?.[Number(value)] : undefined;
  return choice === undefined ? undefined : { kind: 'clarify', text: choice };
}
