import { type Message, ownBlock } from '../../base/index.ts';
import { cutMiddle, redactForModel } from '../../util/index.ts';
import type { NumberedMessage } from '../conversation.ts';
import { pruneMessages } from '../phases/prune.ts';

/** What the summary model reads of one result, one text and one call. */
const RESULT_LIMIT = 1_500;
const TEXT_LIMIT = 6_000;
const ARGUMENTS_LIMIT = 600;

/** The messages as data, one line of JSON each, without secrets. Of equal results only the newest has its text. */
export function renderMiddle(numbered: readonly NumberedMessage[]): string[] {
  const messages = numbered.map(({ message }) => message);
  const pruned = pruneMessages(messages);
  const newest = new Map<string, number>();
  messages.forEach((message, place) => {
    if (message.role === 'tool') newest.set(message.content, place);
  });
  return numbered.map(({ number, message }, place) => {
    const isRepeated = message.role === 'tool' && newest.get(message.content) !== place;
    return JSON.stringify({ number, ...fieldsOf(isRepeated ? (pruned[place] as Message) : message) });
  });
}

function fieldsOf(message: Message): Record<string, unknown> {
  const text = (limit: number) => readable(message.content, limit);
  if (message.role === 'tool') {
    const said = ownBlock('steering').textIn(message.content);
    const words = said === undefined ? {} : { user_said: readable(said, TEXT_LIMIT) };
    return { result_of: message.toolName, text: text(RESULT_LIMIT), ...words };
  }
  if (message.role === 'user') {
    const attached = message.attachments?.map(({ name, description }) =>
      description ? `${name}: ${description}` : name,
    );
    return { role: 'user', text: text(TEXT_LIMIT), attached };
  }
  const calls = message.toolCalls?.map((call) => `${call.name} ${readable(call.arguments, ARGUMENTS_LIMIT)}`);
  return { role: 'assistant', text: message.content === '' ? undefined : text(TEXT_LIMIT), calls };
}

function readable(text: string, limit: number): string {
  return redactForModel(cutMiddle(text, limit));
}

/** As many of the first lines as take at most so many tokens, and one at least. */
export function takeLines<Line extends { tokens: number }>(lines: readonly Line[], limit: number): Line[] {
  let tokens = 0;
  const end = lines.findIndex((line, place) => {
    tokens += line.tokens;
    return tokens > limit && place > 0;
  });
  return lines.slice(0, end < 0 ? undefined : end);
}
