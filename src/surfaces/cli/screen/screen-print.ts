import type { StoredMessage } from '../../../contracts/index.ts';
import { createAnswerStream, isOpen, parseTodos } from '../render/index.ts';
import type { Report } from '../report-error.ts';
import { printable } from '../style.ts';
import { renderConversation } from '../terminal/render-conversation.ts';
import { wrapTextWithAnsi } from './pi-tui.ts';
import type { ScreenState } from './screen-state.ts';
import { lineWidth } from './width.ts';

// The sequence that resets the colour may follow the last line break.
// oxlint-disable-next-line no-control-regex
const LAST_BREAK = /\n((?:\u001b\[[\d;]*m)*)$/;
/** Longer messages are shortened; the full text is in the session. */
const MAX_ECHO_LINES = 20;

/** Prints finished text, including its line breaks. */
export function printText(screen: ScreenState, text: string): void {
  if (text === '') return;
  printLines(screen, text.replace(LAST_BREAK, '$1').split('\n'));
}

/** Prints a complete answer, rendered as Markdown. */
export function printAnswer(screen: ScreenState, markdown: string): void {
  if (markdown.trim() !== '') screen.print(renderMarkdown(screen, markdown), 'prose');
}

function renderMarkdown({ theme, device }: ScreenState, markdown: string): string[] {
  const stream = createAnswerStream(theme);
  stream.push(markdown.trim());
  stream.end();
  return stream.takeFinished(device.columns);
}

/** More does not fit on a screen, and the rest is in the session. */
const MAX_CONVERSATION_LINES = 120;

/** Prints the messages of a resumed session. */
export async function printConversation(screen: ScreenState, messages: readonly StoredMessage[]): Promise<void> {
  const hasCode = messages.some(({ message }) => message.role === 'assistant' && message.content.includes('```'));
  // If the highlighter cannot be loaded, code is printed without colours.
  if (hasCode) await screen.theme.code.prepare().catch(() => undefined);
  const parts = renderConversation(messages, {
    width: screen.device.columns,
    style: screen.theme,
    maxLines: MAX_CONVERSATION_LINES,
    renderMessage: (text) => echoLines(screen, text),
    renderProse: (markdown) => renderMarkdown(screen, markdown),
  });
  for (const { kind, lines } of parts) screen.print(lines, kind);
  const lists = messages.flatMap(({ message }) =>
    message.role === 'tool' && message.toolName === 'todo' ? [parseTodos(message.content) ?? []] : [],
  );
  const last = lists.at(-1);
  if (last?.some(isOpen)) screen.todos = last;
}

/** Prints a plan that the user is asked to approve. */
export function printPlan(screen: ScreenState, plan: string): void {
  screen.print(['', screen.theme.cyan('── Plan ──')]);
  printAnswer(screen, plan);
  screen.print(['']);
}

export function printReport(screen: ScreenState, { message, hint }: Report): void {
  const { theme } = screen;
  const lines = [theme.red(`✗ ${printable(message)}`), ...(hint ? [`  ${printable(hint)}`] : [])];
  printLines(
    screen,
    lines.flatMap((line) => line.split('\n')),
  );
}

function printLines({ device, print }: ScreenState, lines: readonly string[]): void {
  print(lines.flatMap((line) => wrapPrinted(line, device.columns)));
}

/** Prints the user's message when it is processed. */
export function printEcho(screen: ScreenState, text: string): void {
  screen.print(echoLines(screen, text), 'message');
}

function echoLines({ theme }: ScreenState, text: string): string[] {
  const [first = '', ...rest] = printable(text).split('\n');
  const more = rest.length - MAX_ECHO_LINES;
  const shown = rest.slice(0, MAX_ECHO_LINES).map((line) => `  ${theme.bold(line)}`);
  const cut = more > 0 ? [theme.dim(`  … ${more} more lines`)] : [];
  return [`${theme.cyan('❯')} ${theme.bold(first)}`, ...shown, ...cut];
}

// The start of a line that continuation lines are indented by: a name and a gap, as in command lists, or the
// indentation.
// oxlint-disable-next-line no-control-regex
const NAME = /^ *[^\s\u001b]+ {2,}(?=\S)/;
const INDENT = /^ */;

/** Wraps a line between words to fit the window, with a hanging indent. */
export function wrapPrinted(line: string, columns: number): string[] {
  if (lineWidth(line) <= columns) return [line];
  // A wide margin would leave too little room in a narrow window.
  const fits = (beginning: string) => beginning !== '' && lineWidth(beginning) <= columns / 2;
  const first = [NAME, INDENT].map((shape) => shape.exec(line)?.[0] ?? '').find(fits) ?? '';
  const margin = ' '.repeat(lineWidth(first));
  const parts = wrapTextWithAnsi(line.slice(first.length).trimStart(), Math.max(1, columns - margin.length));
  return parts.map((part, index) => (index === 0 ? first : margin) + part);
}
