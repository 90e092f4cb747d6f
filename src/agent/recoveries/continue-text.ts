import type { ModelAnswer } from '../../contracts/index.ts';
import type { StepState } from '../turn-state.ts';
import type { Recovery } from './recovery.ts';

const MAX_CONTINUATIONS = 3;
const CONTINUE_REQUEST =
  'Your answer was truncated by the output limit. Continue exactly where it stopped; do not repeat anything.';

/** The output limit truncated the text: ask the model to continue, and store all parts as one message. */
export const continueText: Recovery = {
  name: 'continue-text',
  applies: (problem) => problem.type === 'cut_text',
  async apply(problem, turn) {
    if (problem.type === 'failure') return 'pass';
    const { step } = turn.state;
    const { answer, record } = problem;
    if (step.continuations >= MAX_CONTINUATIONS) {
      return { ...problem, type: 'answer', answer: joinParts(step, answer) };
    }
    step.textSoFar += answer.text;
    step.reasoningSoFar += answer.reasoning ?? '';
    step.continuations += 1;
    step.requestTail = [
      { role: 'assistant', content: step.textSoFar },
      { role: 'user', content: CONTINUE_REQUEST },
    ];
    await turn.options.store.recordCall(turn.session.id, record);
    return 'retry';
  },
};

/** Prepends the earlier parts to a continued answer. */
export function joinParts(step: StepState, answer: ModelAnswer): ModelAnswer {
  if (step.textSoFar === '') return answer;
  const reasoning = step.reasoningSoFar + (answer.reasoning ?? '');
  return { ...answer, text: step.textSoFar + answer.text, reasoning: reasoning === '' ? undefined : reasoning };
}
