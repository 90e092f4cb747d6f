import { type ExitReason, firstExitReason } from '../base/index.ts';
import type { CallRecord, ModelAnswer, PreparedCall } from '../contracts/index.ts';
import { callModel } from './call-model.ts';
import { compressIfNeeded, rejectOversized } from './compress-context.ts';
import { findExitReason } from './limits.ts';
import { buildRequest } from './request.ts';
import { beginStep } from './turn-state.ts';
import type { Turn } from './turn.ts';

/** The model client loads the same file while the model answers. */
const loadAnswerCode = () => import('./handle-answer.ts');

export type Reply = AnswerReply | { type: 'exit'; reason: ExitReason };
/** `prepared` holds the tool calls of the answer, in the same order. */
export type AnswerReply = { type: 'answer'; answer: ModelAnswer; record: CallRecord; prepared: PreparedCall[] };

/**
 * The agent loop, which runs one turn: call the model, run the tools it calls, and repeat until there is an exit
 * reason. Every message is stored before the next step uses it.
 */
export async function runLoop(turn: Turn): Promise<ExitReason> {
  let exit: ExitReason | undefined;
  for (;;) {
    const due = firstExitReason([exit, await findExitReason(turn)]);
    if (due === 'max_iterations' || due === 'budget_exhausted') await (await loadAnswerCode()).makeGraceCall(turn, due);
    if (due !== undefined) return due;

    beginStep(turn.state);
    const reply = await askModel(turn);
    if (reply.type === 'exit') return reply.reason;

    const { handleText, handleToolCalls } = await loadAnswerCode();
    exit = await (reply.answer.toolCalls.length > 0 ? handleToolCalls : handleText)(turn, reply);
    turn.emit({ type: 'step-finished', apiCalls: turn.state.apiCalls, toolCalls: turn.state.toolCalls });
    if (exit === 'completed') return exit;
  }
}

/** Calls the model until it returns a usable answer or no recovery is left. */
async function askModel(turn: Turn): Promise<Reply> {
  for (;;) {
    await compressIfNeeded(turn);
    const result = rejectOversized(turn) ?? (await callModel(turn, await buildRequest(turn)));
    turn.state.step.attempts = result.type === 'failure' ? turn.state.step.attempts + 1 : 0;
    const { findProblem, recover } = await loadAnswerCode();
    const outcome = await findProblem(turn, result);
    if (outcome.type === 'answer') return outcome;
    const reply = await recover(turn, outcome);
    if (reply !== 'retry') return reply;
  }
}
