import { failureOf, type Recovery } from './recovery.ts';

const MOST_REDUCTIONS = 3;

/** The request is too large: send less of the old history. */
export const reduceContext: Recovery = {
  name: 'reduce-context',
  applies: (trouble) =>
    failureOf(trouble, ['context_overflow', 'payload_too_large', 'long_context_tier']) !== undefined,
  async apply(trouble, turn) {
    const { session, state, options, routes } = turn;
    const limit = trouble.type === 'failure' ? trouble.failure.contextLimit : undefined;
    if (limit !== undefined) routes.lessons().contextLimit = limit;
    while (state.contextReductions < MOST_REDUCTIONS) {
      state.contextReductions += 1;
      const reduction = options.context.reduce(session.history, state.contextReductions);
      if (!reduction) continue;
      const before = charactersOf(session.history.slice(0, reduction.boundary));
      const after = charactersOf(reduction.reduced);
      if (after >= before) continue;
      session.reduction = reduction;
      turn.emit({
        type: 'context-pruned',
        messagesBefore: session.history.length,
        charactersBefore: before,
        charactersAfter: after,
      });
      return 'retry';
    }
    return 'pass';
  },
};

function charactersOf(messages: readonly unknown[]): number {
  return messages.reduce<number>((sum, message) => sum + JSON.stringify(message).length, 0);
}
