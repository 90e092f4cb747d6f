import { type ModelFailure, NO_USAGE } from '../../base/index.ts';
import type { CallRecord, ModelAnswer, PreparedCall } from '../../contracts/index.ts';
import { assistantMessage } from '../history.ts';
import type { Reply } from '../loop.ts';
import type { Turn } from '../turn.ts';

/** Why there is no usable answer. */
export type CallProblem =
  | { type: 'failure'; failure: ModelFailure; hint: string | undefined }
  | { type: AnswerProblem; answer: ModelAnswer; record: CallRecord; prepared: PreparedCall[] };

export type AnswerProblem =
  /** The output limit truncated the text. */
  | 'cut_text'
  /** The output limit truncated the arguments of a tool call. */
  | 'cut_tool_call'
  /** Reasoning used up the output limit. */
  | 'cut_thinking'
  /** The arguments of a tool call are not valid JSON. */
  | 'bad_arguments'
  /** Reasoning without text or tool calls. */
  | 'thinking_only'
  | 'empty';

/** `retry` calls the model again, `pass` leaves the problem to the next recovery; anything else is the final reply. */
export type RecoveryResult = Reply | 'retry' | 'pass';

/** One way to continue after a call problem. Recoveries are tried in the order of `index.ts`. */
export type Recovery = {
  name: string;
  /** Repeats the identical request. All other recoveries reset the number of attempts. */
  repeatsRequest?: true;
  applies(problem: CallProblem, turn: Turn): boolean;
  apply(problem: CallProblem, turn: Turn): Promise<RecoveryResult>;
};

/** The failure, if the problem is a failure of one of these kinds. */
export function failureOf(problem: CallProblem, kinds: readonly ModelFailure['kind'][]): ModelFailure | undefined {
  return problem.type === 'failure' && kinds.includes(problem.failure.kind) ? problem.failure : undefined;
}

/** True on the first call in a turn for this key, false afterwards. */
export function firstTime(turn: Turn, what: string): boolean {
  if (turn.state.recoveredOnce.has(what)) return false;
  turn.state.recoveredOnce.add(what);
  return true;
}

/** Discards an answer that will be requested again; its cost still counts. */
export async function discard(problem: CallProblem, turn: Turn, reason: string): Promise<void> {
  if (problem.type === 'failure') return;
  await turn.options.store.recordCall(turn.session.id, { ...problem.record, outcome: 'discarded' });
  turn.emit({ type: 'answer-discarded', reason });
}

/** Stores the parts of a continued text before the turn ends without the rest. */
export async function storePartialText(turn: Turn): Promise<void> {
  const { textSoFar, reasoningSoFar } = turn.state.step;
  if (textSoFar === '') return;
  const reasoning = reasoningSoFar === '' ? undefined : reasoningSoFar;
  const answer: ModelAnswer = { text: textSoFar, reasoning, toolCalls: [], finishReason: 'length', usage: NO_USAGE };
  await turn.session.append([assistantMessage(answer, turn.routes.current())]);
  turn.state.finalText = textSoFar.trim();
}

/** Emits a `retry` event. */
export function announceRetry(turn: Turn, problem: CallProblem, attempt: number, waitMs = 0): void {
  const kind = problem.type === 'failure' ? problem.failure.kind : 'answer';
  const message = problem.type === 'failure' ? problem.failure.message : problem.type.replaceAll('_', ' ');
  turn.emit({ type: 'retry', kind, message, attempt, waitMs });
}
