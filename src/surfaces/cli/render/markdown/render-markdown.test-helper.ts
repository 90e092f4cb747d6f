import type { Theme } from '../theme.ts';
import { createAnswerStream } from './answer-stream.ts';

/** Renders a complete text. */
export function renderMarkdown(text: string, width: number, theme: Theme): string[] {
  const stream = createAnswerStream(theme);
  stream.push(text);
  stream.end();
  return stream.takeFinished(width);
}
