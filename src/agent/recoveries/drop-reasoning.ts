import { failureOf, type Recovery } from './recovery.ts';

/** The provider rejected its own reasoning: omit it from now on. */
export const dropReasoning: Recovery = {
  name: 'drop-reasoning',
  applies: (problem) => failureOf(problem, ['thinking_signature', 'invalid_encrypted_content']) !== undefined,
  async apply(problem, turn) {
    const signature = failureOf(problem, ['thinking_signature']) !== undefined;
    const field = signature ? 'reasoningDetails' : 'codexReasoningItems';
    if (turn.session.refusedReasoning.has(field)) return 'pass';
    turn.session.refusedReasoning.add(field);
    return 'retry';
  },
};
