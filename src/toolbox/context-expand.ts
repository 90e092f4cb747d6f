import * as z from 'zod/mini';
import { defineTool, ToolFailure } from '../tools/index.ts';
import { cutMiddle } from '../util/index.ts';
import { textOf } from './recalling/recalling.ts';

const MAX_MESSAGES = 60;

export const contextExpandTool = defineTool({
  name: 'context_expand',
  toolset: 'session_search',
  emoji: '📖',
  description: 'Read messages that were moved out of this conversation, by number: "#12" or "#12-#31".',
  parameters: z.object({ range: z.string() }),
  concurrency: { mode: 'parallel' },
  readOnly: true,
  outsideText: true,
  requiredServices: ['removedMessages'],
  async run({ range }, { services, sessionId, maxResultCharacters }) {
    if (services.removedMessages === undefined) throw new ToolFailure('Nothing is moved out of conversations here.');
    const { first, last } = parseRange(range);
    const found = await services.removedMessages.read(sessionId, first, last);
    if (found.length === 0) throw new ToolFailure(`This conversation has no message #${first}.`);
    // All are shown, the longest ones cut: a single number always comes whole, as far as a result may be long.
    const share = Math.floor(maxResultCharacters / found.length) - 32;
    return found
      .map(({ number, message }) => `#${number} ${message.role}: ${cutMiddle(textOf(message), Math.max(share, 80))}`)
      .join('\n');
  },
});

function parseRange(range: string): { first: number; last: number } {
  const [, from, to] = /^\s*#?(\d{1,9})(?:\s*(?:-|–|\.\.)\s*#?(\d{1,9}))?\s*$/.exec(range) ?? [];
  if (from === undefined) throw new ToolFailure(`"${range}" is no number. Write "#12" or "#12-#31".`);
  const first = Number(from);
  const last = to === undefined ? first : Number(to);
  if (first < 1 || last < first) throw new ToolFailure(`"${range}" ends before it begins.`);
  return { first, last: Math.min(last, first + MAX_MESSAGES - 1) };
}
