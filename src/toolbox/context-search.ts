import * as z from 'zod/mini';
import { defineTool, ToolFailure } from '../tools/index.ts';

const MAX_HITS = 30;

export const contextSearchTool = defineTool({
  name: 'context_search',
  toolset: 'session_search',
  emoji: '🧭',
  description:
    'Search what was moved out of this conversation. {{context_expand: Answers with numbers for context_expand.}}',
  parameters: z.object({ query: z.string().check(z.minLength(1)), limit: z._default(z.int(), 10) }),
  concurrency: { mode: 'parallel' },
  readOnly: true,
  outsideText: true,
  requiredServices: ['removedMessages'],
  async run({ query, limit }, { services, sessionId }) {
    if (services.removedMessages === undefined) throw new ToolFailure('Nothing is moved out of conversations here.');
    const most = Math.min(Math.max(limit, 1), MAX_HITS);
    const hits = await services.removedMessages.search(sessionId, query, most);
    if (hits.length === 0) return `Nothing in this conversation has ${query}.`;
    return hits.map(({ number, snippet }) => `#${number} ${snippet}`).join('\n');
  },
});
