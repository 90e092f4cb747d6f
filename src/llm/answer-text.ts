import type { ModelStreamEvent } from '../contracts/index.ts';
import {
  filterThinking,
  finishThinking,
  THINK_FILTER_START,
  type ThinkFilterState,
  type ThinkPiece,
} from './think-filter.ts';

/** Text and thinking of an answer as they grow. Structured thinking wins over thinking in tags. */
export type AnswerText = {
  filter: ThinkFilterState;
  text: string;
  /** Thinking that came in a field of its own. */
  structured: string;
  /** Thinking that stood in tags inside the text. */
  tagged: string;
};

export const NO_ANSWER_TEXT: AnswerText = { filter: THINK_FILTER_START, text: '', structured: '', tagged: '' };

/** Adds what the model says; thinking in tags is taken out on the way. */
export function addText(answer: AnswerText, delta: string): [AnswerText, ModelStreamEvent[]] {
  if (delta === '') return [answer, []];
  const [filter, pieces] = filterThinking(answer.filter, delta);
  return addPieces({ ...answer, filter }, pieces);
}

/** Adds thinking that the provider itself keeps apart. */
export function addReasoning(answer: AnswerText, delta: string): [AnswerText, ModelStreamEvent[]] {
  if (delta === '') return [answer, []];
  return [{ ...answer, structured: answer.structured + delta }, [{ type: 'reasoning-delta', text: delta }]];
}

/** Lets go of what the filter still held back. */
export function finishText(answer: AnswerText): [AnswerText, ModelStreamEvent[]] {
  return addPieces({ ...answer, filter: THINK_FILTER_START }, finishThinking(answer.filter));
}

/** The thinking that counts, or undefined where there was none. */
export function reasoningOf(answer: AnswerText): string | undefined {
  return answer.structured || answer.tagged || undefined;
}

function addPieces(answer: AnswerText, pieces: readonly ThinkPiece[]): [AnswerText, ModelStreamEvent[]] {
  let current = answer;
  const events: ModelStreamEvent[] = [];
  for (const { kind, text } of pieces) {
    if (kind === 'text') {
      current = { ...current, text: current.text + text };
      events.push({ type: 'text-delta', text });
    } else {
      current = { ...current, tagged: current.tagged + text };
      // Both at once would show the same thoughts twice.
      if (current.structured === '') events.push({ type: 'reasoning-delta', text });
    }
  }
  return [current, events];
}
