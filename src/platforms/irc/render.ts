import type { MessageContent } from '../../contracts/index.ts';
import { splitPlainText, toPlainText } from '../text/plain-text.ts';

/**
 * The bytes of a text. Servers pass on 512 bytes of a line, of which the sender (up to 30 + 11 + 63 bytes), the name of
 * the chat (up to 64) and the syntax (17) are a part.
 */
export const MAX_TEXT = 320;

/** Each line of an answer is a message, and long ones are several. */
export function renderIrc(markdown: string): MessageContent[] {
  return toIrcText(markdown)
    .split('\n')
    .flatMap((line) => splitPlainText(line, MAX_TEXT, 'bytes'));
}

/** The text of all messages. Control characters would be formatting, or end the line. */
export function toIrcText(markdown: string): string {
  return toPlainText(markdown).text.replace(/[^\P{Cc}\n]/gu, ' ');
}
