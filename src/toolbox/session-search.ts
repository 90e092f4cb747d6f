import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

const parameters = z.object({
  query: z.optional(z.string().check(z.describe('words, "phrases", OR, NOT, begin*'))),
  session_id: z.optional(z.string().check(z.describe('id or title'))),
  around_message_id: z.optional(z.int()),
  window: z._default(z.int().check(z.describe('messages on each side')), 5),
  limit: z._default(z.int().check(z.describe('sessions')), 3),
  role_filter: z._default(z.string(), 'user,assistant'),
});

export type SessionSearchArguments = z.output<typeof parameters>;

export const sessionSearchTool = defineTool({
  name: 'session_search',
  toolset: 'session_search',
  emoji: '🗂️',
  description:
    'Earlier conversations: query finds them, session_id reads one (around_message_id: around a message); without these the newest are listed.',
  parameters,
  concurrency: { mode: 'parallel' },
  readOnly: true,
  // Sessions hold what pages and files said.
  outsideText: true,
  requiredServices: ['sessions'],
  async run(args, context) {
    // Loaded when it is first used, with all that it needs.
    const { recall } = await import('./recalling/recall.ts');
    return recall(args, context);
  },
});
