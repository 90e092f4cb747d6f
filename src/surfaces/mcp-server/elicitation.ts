import {
  type ApprovalAnswer,
  type InteractionAnswer,
  type InteractionRequest,
  type JsonObject,
  wholeQuestion,
} from '../../base/index.ts';
import { approvalText } from '../text/approval-text.ts';
import type { Elicitation, ElicitationAnswer } from './served-parts.ts';

/** The labels of the decisions, in the order in which clients show them. */
const DECISIONS: Readonly<Record<Exclude<ApprovalAnswer, 'always'>, string>> = {
  once: 'Allow once',
  session: 'Allow for the rest of the session',
  deny: 'Deny',
};

/** The question of a turn as a form. Permanent rules are made where Hermes runs, not by the user of another program. */
export function toForm(request: InteractionRequest): Elicitation {
  if (request.kind === 'clarify') return clarifyForm(wholeQuestion(request), request.choices);
  const { toolName, subject, reasons } = request;
  const rules = reasons.map(({ rule }) => rule).join(', ');
  const why = rules === '' ? '' : ` (${rules})`;
  return {
    message: `Hermes asks for approval to use ${toolName}${why}:\n${approvalText(subject)}`,
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          enum: Object.keys(DECISIONS),
          enumNames: Object.values(DECISIONS),
        },
      },
      required: ['decision'],
    },
  };
}

/** With choices, another answer is possible too, as in a terminal. */
function clarifyForm(question: string, choices: readonly string[]): Elicitation {
  const text = { type: 'string', title: choices.length === 0 ? 'Answer' : 'Another answer' };
  const choice = { type: 'string', title: 'Answer', enum: [...choices] };
  const properties: JsonObject = choices.length === 0 ? { text } : { choice, text };
  return { message: question, requestedSchema: { type: 'object', properties } };
}

/** Whatever is not clearly an approval is a denial. */
export function fromForm(request: InteractionRequest, answer: ElicitationAnswer | undefined): InteractionAnswer {
  const content = answer?.action === 'accept' ? (answer.content ?? {}) : {};
  if (request.kind === 'clarify') {
    const given = [content['text'], content['choice']].find(
      (value) => typeof value === 'string' && value.trim() !== '',
    );
    return { kind: 'clarify', text: typeof given === 'string' ? given : '' };
  }
  const { decision } = content;
  if (decision === 'once' || decision === 'session') return { kind: 'approval', answer: decision };
  return { kind: 'approval', answer: 'deny' };
}
