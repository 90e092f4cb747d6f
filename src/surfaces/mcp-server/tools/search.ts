import * as z from 'zod/mini';
import type { SessionStore } from '../../../contracts/index.ts';
import { clampLimit, defineServedTool, limitParameter } from '../define-served-tool.ts';
import type { ServedTool } from '../served-parts.ts';
import { sessionUri } from '../session-resources.ts';
import { listVisible } from '../visible-sessions.ts';

const MAX_HITS = 100;

export function searchTool(openStore: () => Promise<SessionStore>): ServedTool {
  return defineServedTool({
    name: 'sessions_search',
    title: 'Search sessions',
    description:
      'Full-text search in the messages of all stored sessions of Hermes: chats, terminals, programs and scheduled jobs. Returns the best matches first, with the text around the match (marked as >>>match<<<; `partial` means that only some of the words occur) and the URI of the resource with the whole session. hermes_ask can continue a session by its session_id.',
    parameters: z.object({
      query: z
        .string('a string is required')
        .check(
          z.regex(/\S/, 'search words are required'),
          z.describe('Words, "phrases", OR, NOT, prefix*. Messages with all words come first, then the nearest.'),
        ),
      limit: limitParameter('matches', 20, MAX_HITS),
      source: z.optional(
        z.string().check(z.describe('Search only sessions of this source, such as "cli", "telegram" or "mcp".')),
      ),
    }),
    readOnly: true,
    isForAll: true,
    async run({ query, limit, source }, { caller }) {
      const store = await openStore();
      const sessions = await listVisible(store, caller);
      const { hits, complete } = await store.searchMessages({
        text: query,
        limit: clampLimit(limit, MAX_HITS),
        ...(source !== undefined && { sources: [source] }),
        ...(sessions !== undefined && { sessions }),
      });
      const results = hits.map((hit) => ({
        session_id: hit.sessionId,
        uri: sessionUri(hit.sessionId),
        message_id: String(hit.id),
        role: hit.role,
        source: hit.source,
        timestamp: hit.timestamp / 1000,
        snippet: hit.snippet,
        partial: hit.partial,
      }));
      return { result: { count: results.length, complete, results } };
    },
  });
}
