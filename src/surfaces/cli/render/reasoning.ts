import { printable } from '../style.ts';
import { fitWidth, wrapText } from '../../../util/text-width.ts';
import { counted } from '../../text/counted.ts';
import { duration } from './status-line.ts';
import type { Theme } from './theme.ts';

type Thought = {
  text: string;
  seconds: number;
  /** Show the whole text instead of one line. */
  open: boolean;
};

/** Renders the reasoning before an answer: one line, or the whole text. */
export function renderReasoning({ text, seconds, open }: Thought, width: number, theme: Theme): string[] {
  const shown = printable(text).trim();
  const words = shown === '' ? 0 : shown.split(/\s+/).length;
  const folded = `∴ thought for ${duration(seconds)}, ${counted(words, 'word')}`;
  if (!open) return [theme.dim(fitWidth(`${folded} (Ctrl-T to show)`, width))];
  const lines = wrapText(shown, Math.max(2, width - 2));
  return [theme.dim(fitWidth(folded, width)), ...lines.map((line) => (line === '' ? '' : `  ${theme.thought(line)}`))];
}
