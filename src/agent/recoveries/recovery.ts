import { type ModelFailure, NO_USAGE } from '../../base/index.ts';
import type { CallRecord, ModelAnswer, PreparedCall } from '../../contracts/index.ts';
import { assistantMessage } from '../history.ts';
import type { Reply } from '../loop.ts';
import type { Turn } from '../turn.ts';

/** What stands between the loop and a usable answer. */
export type Trouble =
  | { type: 'failure'; failure: ModelFailure; hint: string | undefined }
  | { type: AnswerTrouble; answer: ModelAnswer; record: CallRecord; prepared: PreparedCall[] };

export type AnswerTrouble =
  /** The output limit cut the text. */
  | 'cut_text'
  /** The output limit cut the arguments of a tool call. */
  | 'cut_tool_call'
  /** The output limit was used up by thinking. */
  | 'cut_thinking'
  /** Arguments that are no JSON. */
  | 'bad_arguments'
  /** Thinking, and nothing after it. */
  | 'thinking_only'
  | 'empty';

/** What a recovery came to: try again, an end, or nothing, so that the next one is asked. */
export type RecoveryResult = Reply | 'retry' | 'pass';

/** One way to go on. The list in `index.ts` is asked in order. */
export type Recovery = {
  name: string;
  /** Sends the very same request again; all others begin to count tries anew. */
  repeatsRequest?: true;
  applies(trouble: Trouble, turn: Turn): boolean;
  apply(trouble: Trouble, turn: Turn): Promise<RecoveryResult>;
};

/** The failure of a trouble, where it is one of these kinds. */
export function failureOf(trouble: Trouble, kinds: readonly ModelFailure['kind'][]): ModelFailure | undefined {
  return trouble.type === 'failure' && kinds.includes(trouble.failure.kind) ? trouble.failure : undefined;
}

/** True the first time in a turn, false ever after. */
export function firstTime(turn: Turn, what: string): boolean {
  if (turn.state.recoveredOnce.has(what)) return false;
  turn.state.recoveredOnce.add(what);
  return true;
}

/** Puts an answer aside that will be asked for again; what it cost still counts. */
export async function discard(trouble: Trouble, turn: Turn, reason: string): Promise<void> {
  if (trouble.type === 'failure') return;
  await turn.options.store.recordCall(turn.session.id, { ...trouble.record, outcome: 'discarded' });
  turn.emit({ type: 'answer-discarded', reason });
}

/** Where a text was being continued, what came of it is kept although the turn ends. */
export async function keepText(turn: Turn): Promise<void> {
  const { textSoFar, reasoningSoFar } = turn.state.step;
  if (textSoFar === '') return;
  const reasoning = reasoningSoFar === '' ? undefined : reasoningSoFar;
  const answer: ModelAnswer = { text: textSoFar, reasoning, toolCalls: [], finishReason: 'length', usage: NO_USAGE };
  await turn.session.append([assistantMessage(answer, turn.routes.current())]);
  turn.state.finalText = textSoFar.trim();
}

/** Announces another try. */
export function announceRetry(turn: Turn, trouble: Trouble, attempt: number, waitMs = 0): void {
  const kind = trouble.type === 'failure' ? trouble.failure.kind : 'answer';
  const message = trouble.type === 'failure' ? trouble.failure.message : trouble.type.replaceAll('_', ' ');
  turn.emit({ type: 'retry', kind, message, attempt, waitMs });
}
