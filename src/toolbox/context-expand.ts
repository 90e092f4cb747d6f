import * as z from 'zod/mini';
import type { RemovedMessages } from '../contracts/index.ts';
import { defineTool, ToolFailure } from '../tools/index.ts';
import { truncateMiddle } from '../util/index.ts';
import { EARLIER_MESSAGES, textOf } from './recalling/session-text.ts';

const MAX_MESSAGES = 60;

export const contextExpandTool = defineTool({
  name: 'context_expand',
  toolset: 'session_search',
  emoji: '📖',
  description:
    'Read earlier messages in this conversation by number, including those that were compacted into a summary or omitted from the context. {{context_search: Numbers come from the summary and from context_search.}} A single number returns the whole message. A range returns up to 60 messages; if the result would be too long, the longest messages are truncated.',
  parameters: z.object({ range: z.string().check(z.describe('Message number or range, e.g. "#12" or "#12-#31".')) }),
  concurrency: { mode: 'parallel' },
  readOnly: true,
  outsideText: true,
  outsideLabel: EARLIER_MESSAGES,
  requiredServices: ['removedMessages'],
  async run({ range }, { services, sessionId, maxResultCharacters }) {
    if (services.removedMessages === undefined)
      throw new ToolFailure('This session is not stored, so no earlier messages can be read.');
    const { first, last } = parseRange(range);
    const found = await services.removedMessages.read(sessionId, first, last);
    if (found.length === 0) throw await noSuchMessage(first, services.removedMessages, sessionId);
    // All messages of the range are shown, and the longest are truncated. A single message gets the whole result
    // limit.
    const share = Math.floor(maxResultCharacters / found.length) - 32;
    return found
      .map(
        ({ number, message }) => `#${number} ${message.role}: ${truncateMiddle(textOf(message), Math.max(share, 80))}`,
      )
      .join('\n');
  },
});

async function noSuchMessage(wanted: number, messages: RemovedMessages, sessionId: string): Promise<ToolFailure> {
  const newest = (await messages.read(sessionId, 1, Number.MAX_SAFE_INTEGER)).at(-1);
  const known =
    newest === undefined
      ? 'This conversation has no messages yet.'
      : `The messages of this conversation are #1 to #${newest.number}.`;
  return new ToolFailure(`Message not found: #${wanted}. ${known}`);
}

function parseRange(range: string): { first: number; last: number } {
  const [, from, to] = /^\s*#?(\d{1,9})(?:\s*(?:-|–|\.\.)\s*#?(\d{1,9}))?\s*$/.exec(range) ?? [];
  if (from === undefined)
    throw new ToolFailure(`Invalid range "${range}". Use a message number such as "#12" or a range such as "#12-#31".`);
  const first = Number(from);
  const last = to === undefined ? first : Number(to);
  if (first < 1 || last < first)
    throw new ToolFailure(`Invalid range "${range}": numbers start at 1, and the end must not be before the start.`);
  return { first, last: Math.min(last, first + MAX_MESSAGES - 1) };
}
