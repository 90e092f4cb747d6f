import { type ExitReason, firstExitReason } from '../base/index.ts';
import type { CallRecord, ModelAnswer, PreparedCall } from '../contracts/index.ts';
import { callModel } from './call-model.ts';
import { findProblem } from './find-problem.ts';
import { compressIfNeeded, rejectOversized } from './compress-context.ts';
import { makeGraceCall } from './grace-call.ts';
import { findExitReason } from './limits.ts';
import { RECOVERIES } from './recoveries/index.ts';
import type { CallProblem } from './recoveries/recovery.ts';
import { buildRequest } from './request.ts';
import { handleText } from './handle-text.ts';
import { handleToolCalls } from './handle-tool-calls.ts';
import { beginStep } from './turn-state.ts';
import type { Turn } from './turn.ts';

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
    if (due === 'max_iterations' || due === 'budget_exhausted') await makeGraceCall(turn, due);
    if (due !== undefined) return due;

    beginStep(turn.state);
    const reply = await askModel(turn);
    if (reply.type === 'exit') return reply.reason;

    const handle = reply.answer.toolCalls.length > 0 ? handleToolCalls : handleText;
    exit = await handle(turn, reply);
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
    const outcome = await findProblem(turn, result);
    if (outcome.type === 'answer') return outcome;
    const reply = await recover(turn, outcome);
    if (reply !== 'retry') return reply;
  }
}

/** Applies the first recovery that can handle the problem. */
async function recover(turn: Turn, problem: CallProblem): Promise<Reply | 'retry'> {
  for (const recovery of RECOVERIES) {
    if (!recovery.applies(problem, turn)) continue;
    const reply = await recovery.apply(problem, turn);
    if (reply === 'pass') continue;
    // A recovery that changes the request or the route starts counting attempts again.
    if (reply === 'retry' && !recovery.repeatsRequest) turn.state.step.attempts = 0;
    turn.logger.info('recovery', { recovery: recovery.name, problem: problem.type });
    return reply;
  }
  throw new Error(`no recovery handled ${problem.type}`);
}
