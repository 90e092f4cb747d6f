import * as z from 'zod/mini';
import { defineTool, OwnText, ToolFailure } from '../tools/index.ts';
import { withNearest } from './recalling/nearest-text.ts';
import { EARLIER_MESSAGES } from './recalling/session-text.ts';

const MAX_HITS = 30;

export const contextSearchTool = defineTool({
  name: 'context_search',
  toolset: 'session_search',
  emoji: '🧭',
  description:
    'Full-text search of the messages in this conversation, including those that were compacted into a summary or omitted from the context. Search here before you redo work, ask the user again or say that you do not know: exact paths, values, error messages and decisions can still be found. Returns message numbers with snippets. {{context_expand: Read the messages in full with context_expand.}}',
  parameters: z.object({
    query: z
      .string()
      .check(
        z.minLength(1),
        z.describe('Distinctive words, not a question. Messages with all words come first, then the nearest.'),
      ),
    limit: z._default(z.int().check(z.describe('Maximum number of hits (at most 30).')), 10),
  }),
  concurrency: { mode: 'parallel' },
  readOnly: true,
  outsideText: true,
  outsideLabel: EARLIER_MESSAGES,
  requiredServices: ['removedMessages'],
  async run({ query, limit }, { services, sessionId }) {
    if (services.removedMessages === undefined)
      throw new ToolFailure('This session is not stored, so it cannot be searched.');
    const most = Math.min(Math.max(limit, 1), MAX_HITS);
    const hits = await services.removedMessages.search(sessionId, query, most);
    if (hits.length === 0) return new OwnText(`No message in this conversation matches "${query}". Try other words.`);
    return withNearest(hits, ({ number, snippet }) => `#${number} ${snippet}`);
  },
});
