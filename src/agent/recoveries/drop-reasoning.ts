import { failureOf, type Recovery } from './recovery.ts';

/** The provider does not take back its own reasoning: leave it out from now on. */
export const dropReasoning: Recovery = {
  name: 'drop-reasoning',
  applies: (trouble) => failureOf(trouble, ['thinking_signature', 'invalid_encrypted_content']) !== undefined,
  async apply(trouble, turn) {
    const signature = failureOf(trouble, ['thinking_signature']) !== undefined;
    const field = signature ? 'reasoningDetails' : 'codexReasoningItems';
    if (turn.session.refusedReasoning.has(field)) return 'pass';
    turn.session.refusedReasoning.add(field);
    return 'retry';
  },
};
