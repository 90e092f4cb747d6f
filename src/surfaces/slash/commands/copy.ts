import type { SlashContext } from '../slash-context.ts';
import { conversationOf } from './conversation.ts';

/** `/copy` and `/copy N`: the last answer, or the one N answers ago, to the clipboard. */
export async function copyCommand(context: SlashContext, argument: string): Promise<void> {
  const { print, terminal } = context;
  const back = argument === '' ? 1 : Number(argument);
  if (!Number.isSafeInteger(back) || back < 1)
    return print('/copy takes the last answer, /copy 2 the one before it, and so on.\n');
  const messages = await conversationOf(context);
  const answers = messages.filter((message) => message.role === 'assistant' && message.content.trim() !== '');
  const text = answers.at(-back)?.content.trim();
  if (text === undefined)
    return print(answers.length === 0 ? 'There is no answer yet.\n' : 'There are not so many answers.\n');
  const ways = (await terminal?.copy(text)) ?? [];
  print(
    ways.length === 0
      ? 'There is no clipboard here: no program for it, and the answer is too long for the terminal.\n'
      : `Copied ${text.length} characters (${ways.join(', ')}).\n`,
  );
}
