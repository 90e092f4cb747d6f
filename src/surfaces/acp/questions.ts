import type { CreateElicitationRequest, PermissionOption, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk';
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type ClarifyRequest,
  type InteractionAnswer,
  PLAN_ANSWERS,
  wholeQuestion,
} from '../../base/index.ts';
import { redactSecrets } from '../../util/index.ts';
import { approvalText } from '../text/approval-text.ts';
import type { AcpClient } from './acp-server-protocol.ts';
import { fenced, text } from './describe-tool-call.ts';

/** Where a question is asked. */
export type AskedIn = { client: AcpClient; sessionId: string; toolCallId: string; signal: AbortSignal };

/** What the client needs to know about a call that it has not seen. */
type UnseenCall = { title: string; kind: ToolKind };

type Option = PermissionOption & { optionId: ApprovalAnswer };

/** The first option of a kind is the narrowest, because clients choose by kind. */
const OPTIONS: readonly Option[] = [
  { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'session', name: 'Allow for this session', kind: 'allow_once', _meta: { scope: 'session' } },
  { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
];

/** Asks the client for permission. Everything but one of the options is a denial. */
export async function askPermission(
  request: ApprovalRequest,
  { client, sessionId, toolCallId, signal, unseen }: AskedIn & { unseen: UnseenCall | undefined },
): Promise<InteractionAnswer> {
  const toolCall = { toolCallId, ...unseen, status: 'pending' as const, content: describeApproval(request) };
  const { outcome } = await client.requestPermission({ sessionId, toolCall, options: [...OPTIONS] }, signal);
  const chosen = outcome.outcome === 'selected' ? outcome.optionId : undefined;
  const answer = OPTIONS.find(({ optionId }) => optionId === chosen)?.optionId ?? 'deny';
  return { kind: 'approval', answer };
}

/** What needs approval, why, and what "always" would allow. */
function describeApproval({ subject, reasons }: ApprovalRequest): ToolCallContent[] {
  const why = reasons.map(({ rule }) => rule).join(', ');
  const always = [...new Set(reasons.map(({ rule, always: entry }) => entry ?? `the rule "${rule}"`))].join(', ');
  const asked = [fenced(redactSecrets(approvalText(subject)))];
  if (why !== '') asked.push(`Needs approval: ${why}. "Always allow" would allow: ${approvalText(always)}.`);
  return [text(asked.join('\n'))];
}

const PLAN_OPTIONS: readonly PermissionOption[] = [
  { optionId: PLAN_ANSWERS.approve, name: PLAN_ANSWERS.approve, kind: 'allow_once' },
  { optionId: PLAN_ANSWERS.reject, name: PLAN_ANSWERS.reject, kind: 'reject_once' },
];

/** Asks a client without forms to approve a plan. Everything but an approval is a rejection. */
export async function askForPlan(
  { plan }: { plan: string },
  { client, sessionId, toolCallId, signal }: AskedIn,
): Promise<InteractionAnswer> {
  const toolCall = { toolCallId, kind: 'switch_mode' as const, status: 'pending' as const, content: [text(plan)] };
  const { outcome } = await client.requestPermission({ sessionId, toolCall, options: [...PLAN_OPTIONS] }, signal);
  const isApproved = outcome.outcome === 'selected' && outcome.optionId === PLAN_ANSWERS.approve;
  return { kind: 'clarify', text: isApproved ? PLAN_ANSWERS.approve : PLAN_ANSWERS.reject };
}

/** Asks the client to show a form. Undefined if the user declined to answer. */
export async function askForm(
  asked: ClarifyRequest,
  { client, sessionId, toolCallId, signal }: AskedIn,
): Promise<InteractionAnswer | undefined> {
  const { choices } = asked;
  const choice = { type: 'string' as const, title: 'Answer', enum: choices };
  const answer = { type: 'string' as const, title: choices.length === 0 ? 'Answer' : 'Or in your own words' };
  const request: CreateElicitationRequest = {
    mode: 'form',
    sessionId,
    toolCallId,
    message: wholeQuestion(asked),
    requestedSchema: {
      type: 'object',
      properties: choices.length === 0 ? { answer } : { choice, answer },
      ...(choices.length === 0 && { required: ['answer'] }),
    },
  };
  const response = await client.elicit(request, signal);
  const content =
    response.action === 'accept' ? (response as { content?: Record<string, unknown> }).content : undefined;
  const given = [content?.['answer'], content?.['choice']].find((value) => typeof value === 'string' && value !== '');
  return typeof given === 'string' ? { kind: 'clarify', text: given } : undefined;
}

/** The result of a question that the client cannot show as a form: the answer is the next prompt. */
export const ASKED_IN_TEXT =
  'The question was shown to the user. The turn ends here; the answer is the next message of the user.';

/** The question as text of the agent. */
export function questionText({ question, choices }: Pick<ClarifyRequest, 'question' | 'choices'>): string {
  const list = choices.map((choice, index) => `${index + 1}. ${choice}`);
  return [question, ...(list.length > 0 ? ['', ...list] : [])].join('\n');
}
