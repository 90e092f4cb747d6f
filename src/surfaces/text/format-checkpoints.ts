import type { CheckpointDiff, CheckpointRecord, RestoreReport } from '../../contracts/index.ts';
import { localTime } from '../../util/index.ts';
import { counted } from './counted.ts';
import { type Style, showable } from './style.ts';

/** What a screen takes of a diff; the rest is counted. */
const MAX_LINES = 400;
const MAX_NAMED = 40;

/** One line each, newest first. */
export function formatRecords(
  records: readonly CheckpointRecord[],
  { sessionId, style }: { sessionId?: string; style: Style },
): string {
  const width = String(records[0]?.number ?? 0).length;
  return records
    .map(({ number, takenAt, reason, leftOut, ...record }) => {
      const missing = leftOut === 0 ? '' : style.dim(` (without ${counted(leftOut, 'file')})`);
      const other = sessionId === undefined || record.sessionId === sessionId ? '' : style.dim(' (another session)');
      return `  ${String(number).padStart(width)}  ${localTime(takenAt)}  ${showable(reason)}${missing}${other}\n`;
    })
    .join('');
}

const SIGNS = { added: '+', changed: '~', deleted: '-' } as const;

/** What has changed since a checkpoint, and so what going back undoes. */
export function formatDiff(number: number, { changes, text, cut }: CheckpointDiff, style: Style): string {
  if (changes.length === 0) return `Nothing has changed since checkpoint ${number}.\n`;
  const head = style.bold(
    `Since checkpoint ${number}, ${counted(changes.length, 'file')} changed; going back undoes this:`,
  );
  const names = namesOf(changes.map(({ path, change }) => `${SIGNS[change]} ${path}`));
  const lines = text.trimEnd().split('\n');
  const shown = lines.slice(0, MAX_LINES).map((line) => colour(showable(line), style));
  const more =
    cut || lines.length > MAX_LINES ? [style.dim(`… and more: only the first ${MAX_LINES} lines are shown`)] : [];
  return `${[head, ...names, '', ...shown, ...more].join('\n')}\n`;
}

function colour(line: string, style: Style): string {
  if (line.startsWith('diff --git ')) return style.bold(line);
  if (line.startsWith('@@')) return style.cyan(line);
  if (/^\+(?!\+\+ )/.test(line)) return style.green(line);
  return /^-(?!-- )/.test(line) ? style.red(line) : line;
}

/** `again` is how to get back from here. */
export function formatReport(
  number: number,
  report: RestoreReport,
  style: Style,
  again = (before: number) => `/rollback ${before}`,
): string {
  const { before, written, removed, kept } = report;
  const done = `Back at checkpoint ${number}: ${counted(written.length, 'file')} put back, ${removed.length} removed.`;
  const left = kept.map(({ path, why }) => style.yellow(`! not touched: ${showable(path)} (${showable(why)})`));
  return `${[done, ...left.slice(0, MAX_NAMED), `What was there before is checkpoint ${before}: ${again(before)} undoes this.`].join('\n')}\n`;
}

function namesOf(lines: readonly string[]): string[] {
  const more = lines.length > MAX_NAMED ? [`  … and ${lines.length - MAX_NAMED} more`] : [];
  return [...lines.slice(0, MAX_NAMED).map((line) => `  ${showable(line).replaceAll('\n', '⏎')}`), ...more];
}
