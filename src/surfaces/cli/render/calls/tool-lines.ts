import type { ChangedFile, ToolStatus } from '../../../../base/index.ts';
import { stripAnsi } from '../../../../util/index.ts';
import { type Style, showable, showableWhole } from '../../style.ts';
import { fitWidth, textWidth, wrapText } from '../../../text/text-width.ts';
import { counted } from '../../../text/counted.ts';
import { describeCall } from './describe-call.ts';
import { describeResult } from './describe-result.ts';
import { indentOf } from './indent.ts';

/** A call that runs. */
export type RunningCall = {
  name: string;
  /** As the event has them. */
  arguments: string;
  /** How far down it is among children of children; 0 for what the agent itself does. */
  depth?: number;
  elapsedMs?: number;
  /** What it has put out so far; its last line is shown. */
  progress?: string;
};

/** A call that has ended. */
export type EndedCall = {
  name: string;
  arguments: string;
  depth?: number;
  status: ToolStatus;
  content: string;
  durationMs: number;
  /** What it made of files: figures in its line, which `renderDiff` shows in full. */
  changes?: readonly ChangedFile[];
  /** With the whole result below it, as far as that is no book. */
  expanded?: boolean;
};

const MARKS: Record<ToolStatus, { mark: string; role: 'green' | 'red' | 'yellow' }> = {
  ok: { mark: '✓', role: 'green' },
  error: { mark: '✗ failed', role: 'red' },
  invalid: { mark: '✗ invalid', role: 'red' },
  denied: { mark: '✗ denied', role: 'yellow' },
  refused: { mark: '✗ refused', role: 'yellow' },
  interrupted: { mark: '✗ interrupted', role: 'yellow' },
};

/** What the person needs of a command to know it again. */
const LONGEST_PREVIEW = 72;
/** So much of it stays, however long the result is. */
const KEPT_PREVIEW = 24;
const SHORTEST_PART = 8;
/** A command can be a whole script. */
const MOST_LOOKED_AT = 2000;
const LONGEST_RESULT = 60;
/** Of an expanded result, from its beginning and from its end. */
const MOST_LINES = { first: 150, last: 50 };

/** `○ terminal  npm test  3s`, and below it the newest line of its output. */
export function renderToolStart(call: RunningCall, width: number, theme: Style): string[] {
  // What takes no time needs no clock.
  const { elapsedMs = 0 } = call;
  const seconds = elapsedMs < 1000 ? '' : `${Math.floor(elapsedMs / 1000)}s`;
  const line = callLine(call, width, { mark: theme.dim('○'), end: { text: seconds, paint: theme.dim }, theme });
  const newest = showable(call.progress ?? '')
    .trimEnd()
    .split('\n')
    .at(-1);
  if (newest === undefined || newest.trim() === '') return [line];
  const indent = `${indentOf(call.depth, width)}  `;
  return [line, `${indent}${theme.dim(fitWidth(newest, width - textWidth(indent)))}`];
}

/** `● terminal  echo hi  ✓ 0.1s  2 lines`. */
export function renderToolEnd(call: EndedCall, width: number, theme: Style): string[] {
  const { mark, role } = MARKS[call.status];
  const end = { text: `${mark} ${(call.durationMs / 1000).toFixed(1)}s`, paint: theme[role] };
  const outcome = showable(describeResult(call).slice(0, MOST_LOOKED_AT));
  const result = { text: outcome, paint: call.status === 'ok' ? theme.dim : theme[role] };
  const line = callLine(call, width, { mark: theme.cyan('●'), end, result, theme });
  return call.expanded === true ? [line, ...resultLines(call, width, theme)] : [line];
}

type Part = { text: string; paint: (text: string) => string };
type LineParts = { mark: string; end: Part; result?: Part; theme: Style };
type Call = { name: string; arguments: string; depth?: number };

/** In a narrow window the result gives way first, then the preview. */
function callLine({ name, arguments: text, depth }: Call, width: number, parts: LineParts): string {
  const { mark, end, result, theme } = parts;
  const indent = indentOf(depth, width);
  let room = Math.max(0, width - textWidth(indent) - 2);
  /** As much of a text as there is room for; nothing where too little would be left of it. */
  const take = (wanted: string, most: number, least: number): string => {
    const given = Math.min(most, room - 2);
    if (wanted === '' || given < Math.min(least, textWidth(wanted))) return '';
    const taken = fitWidth(wanted, given);
    room -= textWidth(taken) + 2;
    return taken;
  };
  const shownName = fitWidth(showable(name), room);
  room -= textWidth(shownName);
  // At least its mark: whether something failed is seen in any window.
  const ended = take(end.text, room, textWidth(end.text)) || take(end.text.split(' ', 1)[0] ?? '', room, 1);
  const about = showableWhole(describeCall(name, text).slice(0, MOST_LOOKED_AT));
  // A result that does not fit beside the whole preview gets what a short one leaves.
  const kept = Math.min(textWidth(about), KEPT_PREVIEW);
  const outcome = take(result?.text ?? '', Math.min(LONGEST_RESULT, room - kept - 4), SHORTEST_PART);
  const preview = take(about, LONGEST_PREVIEW, SHORTEST_PART);
  const pieces = [theme.bold(shownName), theme.dim(preview), end.paint(ended), result?.paint(outcome) ?? ''];
  return `${indent}${mark} ${pieces.filter((piece) => stripAnsi(piece) !== '').join('  ')}`;
}

function resultLines(call: EndedCall, width: number, theme: Style): string[] {
  const indent = `${indentOf(call.depth, width)}  `;
  const lines = wrapText(showable(call.content).trimEnd(), Math.max(2, width - textWidth(indent)));
  const left = lines.length - MOST_LINES.first - MOST_LINES.last;
  const shown =
    left > 0
      ? [...lines.slice(0, MOST_LINES.first), `… ${counted(left, 'more line')} …`, ...lines.slice(-MOST_LINES.last)]
      : lines;
  return shown.map((line) => `${indent}${theme.dim(line)}`.trimEnd());
}
