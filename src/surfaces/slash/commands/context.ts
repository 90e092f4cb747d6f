import type { ContextPart, ContextReport } from '../../../runtime/index.ts';
import { formatFigure, formatShare, formatTable } from '../../text/table.ts';
import type { LastCall, SlashContext } from '../slash-context.ts';

const BAR = 40;

/** `/context`: what fills the window. */
export async function contextCommand({ session, turns, print }: SlashContext): Promise<void> {
  print(formatContext(await session.opened().reportContext(), turns.lastCall()));
}

/** The pieces are guessed; what the provider counted last stands below. */
function formatContext({ parts, tokens, window }: ContextReport, lastCall: LastCall | undefined): string {
  const whole = window ?? tokens;
  const row =
    (indent: string) =>
    ({ name, tokens: some }: ContextPart) => [...[`${indent}${name}`, formatFigure(some), formatShare(some, whole)]];
  const rows = parts.flatMap((part) => [row('')(part), ...(part.parts ?? []).map(row('  '))]);
  const free = window === undefined ? [] : [row('')({ name: 'free', tokens: Math.max(0, window - tokens) })];
  const counted =
    lastCall === undefined
      ? ''
      : `  counted by the provider in the last call: ${formatFigure(lastCall.contextTokens)}\n`;
  return `${headOf(tokens, window)}${formatTable([...rows, ...free])}${counted}`;
}

function headOf(tokens: number, window: number | undefined): string {
  if (window === undefined) return `About ${formatFigure(tokens)} tokens; nobody knows how many this model reads.\n`;
  const filled = Math.min(BAR, Math.round((tokens / window) * BAR));
  const bar = '█'.repeat(filled) + '░'.repeat(BAR - filled);
  const share = formatShare(tokens, window);
  return `About ${formatFigure(tokens)} of ${formatFigure(window)} tokens, ${share}\n  ${bar}\n`;
}
