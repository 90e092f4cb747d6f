import { type ExitReason, firstExitReason } from '../base/index.ts';
import type { CallRecord, ModelAnswer, PreparedCall } from '../contracts/index.ts';
import { callModel } from './call-model.ts';
import { findTrouble } from './find-trouble.ts';
import { fitWindow } from './compress-context.ts';
import { giveSummary } from './give-summary.ts';
import { exitDue } from './limits.ts';
import { RECOVERIES } from './recoveries/index.ts';
import type { Trouble } from './recoveries/recovery.ts';
import { buildRequest } from './request.ts';
import { takeText } from './take-text.ts';
import { takeToolCalls } from './take-tool-calls.ts';
import { beginStep } from './turn-state.ts';
import type { Turn } from './turn.ts';

export type Reply = AnswerReply | { type: 'exit'; reason: ExitReason };
/** `prepared` are the tool calls of the answer, in their order. */
export type AnswerReply = { type: 'answer'; answer: ModelAnswer; record: CallRecord; prepared: PreparedCall[] };

/**
 * One turn: ask the model, run what it calls, ask again, until there is a reason to stop. Each message is stored
 * before the next step depends on it.
 */
export async function runLoop(turn: Turn): Promise<ExitReason> {
  let exit: ExitReason | undefined;
  for (;;) {
    const due = firstExitReason([exit, await exitDue(turn)]);
    if (due === 'max_iterations' || due === 'budget_exhausted') await giveSummary(turn, due);
    if (due !== undefined) return due;

    beginStep(turn.state);
    const reply = await askModel(turn);
    if (reply.type === 'exit') return reply.reason;

    const take = reply.answer.toolCalls.length > 0 ? takeToolCalls : takeText;
    exit = await take(turn, reply);
    turn.emit({ type: 'step-finished', apiCalls: turn.state.apiCalls, toolCalls: turn.state.toolCalls });
    if (exit === 'completed') return exit;
  }
}

/** Calls the model until there is an answer to work with, or nothing left to try. */
async function askModel(turn: Turn): Promise<Reply> {
  for (;;) {
    await fitWindow(turn);
    const result = await callModel(turn, await buildRequest(turn));
    turn.state.step.tries = result.type === 'failure' ? turn.state.step.tries + 1 : 0;
    const judged = await findTrouble(turn, result);
    if (judged.type === 'answer') return judged;
    const reply = await recover(turn, judged);
    if (reply !== 'retry') return reply;
  }
}

/** Lets the first recovery that has something to offer decide how to go on. */
async function recover(turn: Turn, trouble: Trouble): Promise<Reply | 'retry'> {
  for (const recovery of RECOVERIES) {
    if (!recovery.applies(trouble, turn)) continue;
    const reply = await recovery.apply(trouble, turn);
    if (reply === 'pass') continue;
    // What was mended is another request, and its tries are its own.
    if (reply === 'retry' && !recovery.repeatsRequest) turn.state.step.tries = 0;
    turn.logger.info('recovery', { recovery: recovery.name, trouble: trouble.type });
    return reply;
  }
  throw new Error(`no recovery took ${trouble.type}`);
}
