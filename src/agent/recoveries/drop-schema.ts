import { failureOf, type Recovery } from './recovery.ts';

/**
 * A request with an answer schema was rejected without a clear reason. Many servers do not support schemas, or not
 * together with tools. The prompt describes the schema too, so the request is repeated without it.
 */
export const dropSchema: Recovery = {
  name: 'drop-schema',
  applies: (problem, turn) => turn.outputSchema !== undefined && failureOf(problem, ['format_error']) !== undefined,
  async apply(_, turn) {
    const lessons = turn.routes.learned();
    if (lessons.schemaRefused) return 'pass';
    lessons.schemaRefused = true;
    return 'retry';
  },
};
