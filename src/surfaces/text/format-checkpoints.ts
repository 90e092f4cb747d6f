import type { CheckpointDiff, CheckpointRecord, RestoreReport } from '../../contracts/index.ts';
import { localTime } from '../../util/index.ts';
import { counted } from './counted.ts';
import { type Style, printable } from './style.ts';

/** The maximum number of diff lines to show. */
const MAX_LINES = 400;
const MAX_NAMED = 40;

/** Formats checkpoints, one per line, newest first. */
export function formatRecords(
  records: readonly CheckpointRecord[],
  { sessionId, style }: { sessionId?: string; style: Style },
): string {
  const width = String(records[0]?.number ?? 0).length;
  return records
    .map(({ number, takenAt, reason, leftOut, ...record }) => {
      const missing = leftOut === 0 ? '' : style.dim(` (${counted(leftOut, 'file')} skipped)`);
      const other = sessionId === undefined || record.sessionId === sessionId ? '' : style.dim(' (another session)');
      return `  ${String(number).padStart(width)}  ${localTime(takenAt)}  ${printable(reason)}${missing}${other}\n`;
    })
    .join('');
}

const SIGNS = { added: '+', changed: '~', deleted: '-' } as const;

/** Formats the changes since a checkpoint, which a rollback would undo. */
export function formatDiff(number: number, { changes, text, cut }: CheckpointDiff, style: Style): string {
  if (changes.length === 0) return `Nothing has changed since checkpoint ${number}.\n`;
  const head = style.bold(
    `${counted(changes.length, 'file')} changed since checkpoint ${number}. Restoring it undoes these changes:`,
  );
  const names = namesOf(changes.map(({ path, change }) => `${SIGNS[change]} ${path}`));
  const lines = text.trimEnd().split('\n');
  const shown = lines.slice(0, MAX_LINES).map((line) => colour(printable(line), style));
  const more = cut || lines.length > MAX_LINES ? [style.dim(`… only the first ${MAX_LINES} lines are shown`)] : [];
  return `${[head, ...names, '', ...shown, ...more].join('\n')}\n`;
}

function colour(line: string, style: Style): string {
  if (line.startsWith('diff --git ')) return style.bold(line);
  if (line.startsWith('@@')) return style.cyan(line);
  if (/^\+(?!\+\+ )/.test(line)) return style.green(line);
  return /^-(?!-- )/.test(line) ? style.red(line) : line;
}

/** Formats the result of a rollback. `again` returns the command that reverts the rollback. */
export function formatReport(
  number: number,
  report: RestoreReport,
  style: Style,
  again = (before: number) => `/rollback ${before}`,
): string {
  const { before, written, removed, kept } = report;
  const done = `Restored checkpoint ${number}: ${counted(written.length, 'file')} restored, ${removed.length} deleted.`;
  const left = kept.map(({ path, why }) => style.yellow(`! not restored: ${printable(path)} (${printable(why)})`));
  return `${[done, ...left.slice(0, MAX_NAMED), `The previous state was saved as checkpoint ${before}. To go back to it: ${again(before)}`].join('\n')}\n`;
}

function namesOf(lines: readonly string[]): string[] {
  const more = lines.length > MAX_NAMED ? [`  … and ${lines.length - MAX_NAMED} more`] : [];
  return [...lines.slice(0, MAX_NAMED).map((line) => `  ${printable(line).replaceAll('\n', '⏎')}`), ...more];
}
