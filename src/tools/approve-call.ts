import type { ApprovalGuard, ToolContext } from '../contracts/index.ts';
import { shorten } from '../util/index.ts';
import { ToolDenied } from './tool-stop.ts';

const MAX_SUBJECT = 500;

/** Asks for approval of a whole call, if the guard requires it. Throws if it is denied. */
export async function approveCall(
  tool: Parameters<ApprovalGuard['judgeTool']>[0],
  subject: string,
  { approvals, interaction, agent, signal, sessionId, taskId }: ToolContext,
): Promise<void> {
  const judgement = approvals.judgeTool(tool);
  if (judgement.verdict === 'allow') return;
  const question = { toolName: tool.name, subject: shorten(subject, MAX_SUBJECT), judgement };
  const decision = await approvals.decide(question, { interaction, agent, signal, sessionId, taskId });
  if (!decision.allowed) throw new ToolDenied(decision.message);
}
