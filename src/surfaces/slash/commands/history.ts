import type { Message } from '../../../base/index.ts';
import { shorten } from '../../../util/index.ts';
import { showable, type Style } from '../../text/style.ts';
import type { SlashContext } from '../slash-context.ts';
import { conversationOf } from './conversation.ts';

const USUAL = 10;
const LONGEST = 400;

/** `/history` and `/history N`: the last messages as the model has them. */
export async function historyCommand(context: SlashContext, argument: string): Promise<void> {
  const { style, print } = context;
  const count = argument === '' ? USUAL : Number(argument);
  if (!Number.isSafeInteger(count) || count < 1) return print('/history takes a number of messages, such as 30.\n');
  const messages = await conversationOf(context);
  const shown = messages.slice(-count);
  if (shown.length === 0) return print('Nothing was said yet.\n');
  const before = messages.length - shown.length;
  if (before > 0) print(style.dim(`(${before} more before)\n`));
  print(shown.map((message) => formatMessage(message, style)).join(''));
}

function formatMessage(message: Message, style: Style): string {
  const text = shorten(showable(message.content), LONGEST);
  if (message.role === 'user') return `${style.cyan('❯')} ${text}\n`;
  if (message.role === 'tool') return style.dim(`  ${showable(message.toolName ?? 'result')}: ${text}\n`);
  const calls = (message.role === 'assistant' ? (message.toolCalls ?? []) : []).map(({ name }) => showable(name));
  const called = calls.length === 0 ? '' : style.dim(`● ${calls.join(', ')}\n`);
  return `${text === '' ? '' : `${text}\n`}${called}`;
}
