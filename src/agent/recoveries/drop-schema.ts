import { failureOf, type Recovery } from './recovery.ts';

/**
 * A request with a schema for its answer was refused, and nobody said for which part of it. Many servers know no schemas,
 * or none beside tools: the model was told in words as well, so it is asked without.
 */
export const dropSchema: Recovery = {
  name: 'drop-schema',
  applies: (trouble, turn) => turn.outputSchema !== undefined && failureOf(trouble, ['format_error']) !== undefined,
  async apply(_, turn) {
    const lessons = turn.routes.lessons();
    if (lessons.schemaRefused) return 'pass';
    lessons.schemaRefused = true;
    return 'retry';
  },
};
