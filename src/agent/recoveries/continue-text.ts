import type { ModelAnswer } from '../../contracts/index.ts';
import type { StepState } from '../turn-state.ts';
import type { Recovery } from './recovery.ts';

const MAX_CONTINUATIONS = 3;
const GO_ON = 'Your answer was cut off by the output limit. Go on exactly where it stopped; do not repeat anything.';

/** A text cut by the output limit is continued and joined; the parts are stored as one message. */
export const continueText: Recovery = {
  name: 'continue-text',
  applies: (trouble) => trouble.type === 'cut_text',
  async apply(trouble, turn) {
    if (trouble.type === 'failure') return 'pass';
    const { step } = turn.state;
    const { answer, record } = trouble;
    if (step.continuations >= MAX_CONTINUATIONS) {
      return { ...trouble, type: 'answer', answer: joinParts(step, answer) };
    }
    step.textSoFar += answer.text;
    step.reasoningSoFar += answer.reasoning ?? '';
    step.continuations += 1;
    step.requestTail = [
      { role: 'assistant', content: step.textSoFar },
      { role: 'user', content: GO_ON },
    ];
    await turn.options.store.recordCall(turn.session.id, record);
    return 'retry';
  },
};

/** An answer together with the parts that came before it. */
export function joinParts(step: StepState, answer: ModelAnswer): ModelAnswer {
  if (step.textSoFar === '') return answer;
  const reasoning = step.reasoningSoFar + (answer.reasoning ?? '');
  return { ...answer, text: step.textSoFar + answer.text, reasoning: reasoning === '' ? undefined : reasoning };
}
