import { wrapText } from '../../text/text-width.ts';

const USUAL_COLUMNS = 80;

/** Paragraphs as wide as the terminal. What is indented, such as options and examples, stays as it is. */
export function wrapHelp(text: string, columns = USUAL_COLUMNS): string {
  const paragraphs: string[] = [];
  let isOpen = false;
  for (const line of text.split('\n')) {
    const isWords = line !== '' && !line.startsWith(' ');
    if (isWords && isOpen) paragraphs[paragraphs.length - 1] += ` ${line}`;
    else paragraphs.push(line);
    isOpen = isWords;
  }
  return paragraphs.flatMap((line) => (line.startsWith(' ') ? [line] : wrapText(line, columns))).join('\n');
}
