import {
  type ChangedFile,
  exitFacts,
  type ExitReason,
  isJsonObject,
  parseJson,
  type ToolStatus,
} from '../../../base/index.ts';
import { stripAnsi } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import { describeCall } from '../../text/describe-call.ts';
import { cutWidth, fitWidth, textWidth, wrapText } from '../../../util/text-width.ts';
import { printable, printableWhole, type Style } from '../style.ts';
import { isOpen, parseTodos } from './todo-list.ts';

/** A running tool call. */
type RunningCall = {
  name: string;
  /** The arguments as in the event. */
  arguments: string;
  /** The nesting depth among subagents; 0 for a call of the agent itself. */
  depth?: number;
  elapsedMs?: number;
  /** The last lines of the output, and how many came before them. */
  output?: { lines: readonly string[]; earlier: number };
};

/** A finished tool call. */
export type EndedCall = {
  name: string;
  arguments: string;
  depth?: number;
  status: ToolStatus;
  content: string;
  /** Unknown for a call of a resumed session. */
  durationMs?: number;
  /** The files that the call changed. Their line counts are shown here; `renderDiff` shows the changes. */
  changes?: readonly ChangedFile[];
  /** Show the result below the call, shortened if it is very long. */
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

/** The maximum length of the preview: enough to recognise a command. */
const MAX_PREVIEW_LENGTH = 72;
/** The minimum length of the preview, however long the result is. */
const MIN_PREVIEW_LENGTH = 24;
const MIN_PART_LENGTH = 8;
/** Only this much of a text is processed, because a command can be a whole script. */
const MAX_PROCESSED_LENGTH = 2000;
const MAX_RESULT_LENGTH = 60;
/** How many lines of an expanded result are shown from its start and its end. */
const MAX_LINES = { first: 150, last: 50 };

/** Renders `○ terminal  npm test  3s`, with the newest output below it. */
export function renderToolStart(call: RunningCall, width: number, theme: Style): string[] {
  // Short calls show no duration.
  const { elapsedMs = 0 } = call;
  const seconds = elapsedMs < 1000 ? '' : `${Math.floor(elapsedMs / 1000)}s`;
  const line = callLine(call, width, { mark: theme.dim('○'), end: { text: seconds, paint: theme.dim }, theme });
  return [line, ...outputLines(call, width, theme)];
}

function outputLines({ output, depth }: RunningCall, width: number, theme: Style): string[] {
  if (output === undefined || output.lines.length === 0) return [];
  const indent = `${indentOf(depth, width)}  `;
  const { lines, earlier } = output;
  const head = earlier === 0 ? [] : [`… ${counted(earlier, 'earlier line')} · Ctrl-O shows more or less`];
  return [...head, ...lines].map((text) =>
    `${indent}${theme.dim(cutWidth(text.replaceAll('\t', '    '), width - textWidth(indent)))}`.trimEnd(),
  );
}

/** Renders `● terminal  echo hi  ✓ 0.1s  2 lines`. */
export function renderToolEnd(call: EndedCall, width: number, theme: Style): string[] {
  const { mark, role } = MARKS[call.status];
  const seconds = call.durationMs === undefined ? '' : ` ${(call.durationMs / 1000).toFixed(1)}s`;
  const end = { text: mark + seconds, paint: theme[role] };
  const outcome = printable(describeResult(call).slice(0, MAX_PROCESSED_LENGTH));
  const result = { text: outcome, paint: call.status === 'ok' ? theme.dim : theme[role] };
  const line = callLine(call, width, { mark: theme.cyan('●'), end, result, theme });
  return call.expanded === true ? [line, ...resultLines(call, width, theme)] : [line];
}

type Part = { text: string; paint: (text: string) => string };
type LineParts = { mark: string; end: Part; result?: Part; theme: Style };
type Call = { name: string; arguments: string; depth?: number };

/** In a narrow window, the result is shortened first, then the preview. */
function callLine({ name, arguments: text, depth }: Call, width: number, parts: LineParts): string {
  const { mark, end, result, theme } = parts;
  const indent = indentOf(depth, width);
  let room = Math.max(0, width - textWidth(indent) - 2);
  /** Returns as much of a text as fits, or nothing if less than `least` would remain. */
  const take = (wanted: string, most: number, least: number): string => {
    const given = Math.min(most, room - 2);
    if (wanted === '' || given < Math.min(least, textWidth(wanted))) return '';
    const taken = fitWidth(wanted, given);
    room -= textWidth(taken) + 2;
    return taken;
  };
  const shownName = fitWidth(printable(name), room);
  room -= textWidth(shownName);
  // The mark is always shown, so that a failure is visible in any window.
  const ended = take(end.text, room, textWidth(end.text)) || take(end.text.split(' ', 1)[0] ?? '', room, 1);
  const about = printableWhole(describeCall(name, text).slice(0, MAX_PROCESSED_LENGTH));
  // If the result does not fit next to the full preview, the preview is shortened to make room for it.
  const kept = Math.min(textWidth(about), MIN_PREVIEW_LENGTH);
  const outcome = take(result?.text ?? '', Math.min(MAX_RESULT_LENGTH, room - kept - 4), MIN_PART_LENGTH);
  const preview = take(about, MAX_PREVIEW_LENGTH, MIN_PART_LENGTH);
  const pieces = [theme.bold(shownName), theme.dim(preview), end.paint(ended), result?.paint(outcome) ?? ''];
  return `${indent}${mark} ${pieces.filter((piece) => stripAnsi(piece) !== '').join('  ')}`;
}

function resultLines(call: EndedCall, width: number, theme: Style): string[] {
  const indent = `${indentOf(call.depth, width)}  `;
  const lines = wrapText(printable(call.content).trimEnd(), Math.max(2, width - textWidth(indent)));
  const left = lines.length - MAX_LINES.first - MAX_LINES.last;
  const shown =
    left > 0
      ? [...lines.slice(0, MAX_LINES.first), `… ${counted(left, 'more line')} …`, ...lines.slice(-MAX_LINES.last)]
      : lines;
  return shown.map((line) => `${indent}${theme.dim(line)}`.trimEnd());
}

type FinishedCall = {
  name: string;
  status: ToolStatus;
  content: string;
  /** The files that the call changed. */
  changes?: readonly ChangedFile[];
};

/**
 * Describes the result of a call in a few words; empty if the mark is enough. The text is not escaped for a terminal
 * yet.
 */
function describeResult({ name, status, content, changes = [] }: FinishedCall): string {
  const parsed = content.startsWith('{') ? parseJson(content) : undefined;
  const error = isJsonObject(parsed) ? parsed['error'] : undefined;
  if (typeof error === 'string') return firstLine(error);
  if (status !== 'ok') return bracketNote(content) ?? lastLine(content);
  return changes.length > 0 ? changeFigures(changes) : (RESULTS.get(name)?.(content) ?? '');
}

/** Formats the added and removed lines of all files: `+12 −3`. */
function changeFigures(changes: readonly ChangedFile[]): string {
  const [added, removed] = [sumOf(changes, 'added'), sumOf(changes, 'removed')];
  return [added > 0 ? `+${added}` : '', removed > 0 ? `−${removed}` : ''].filter(Boolean).join(' ');
}

function sumOf(changes: readonly ChangedFile[], figure: 'added' | 'removed'): number {
  return changes.reduce((sum, change) => sum + change[figure], 0);
}

const RESULTS = new Map<string, (content: string) => string>(
  Object.entries({
    terminal: (content: string) =>
      bracketNote(content) ?? (content === '(no output)' ? 'no output' : shortOutput(content)),
    todo: (content: string) => {
      const todos = parseTodos(content) ?? [];
      return todos.length === 0 ? '' : `${todos.filter((item) => !isOpen(item)).length} of ${todos.length} done`;
    },
    read_file: (content: string) => {
      const lines = content.match(/^\d+\|/gm)?.length ?? 0;
      return lines === 0 ? firstLine(content) : counted(lines, 'line');
    },
    search_files: (content: string) => {
      const matches = content.match(/^\d+:/gm)?.length ?? 0;
      return matches === 0 ? shortOutput(content) : counted(matches, 'match', 'matches');
    },
  }),
);

/** Returns a single line, or the number of lines if there are more. */
function shortOutput(content: string): string {
  const lines = content.trimEnd().split('\n');
  return lines.length === 1 ? (lines[0] ?? '') : counted(lines.length, 'line');
}

/** Returns the bracketed note that our tools append to an output, such as the exit code. */
function bracketNote(content: string): string | undefined {
  return content.match(/^\[(exit code .*|timed out .*|stopped after .*|interrupted.*|killed .*|ended by .*)\]$/m)?.[1];
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

type Subagent = {
  /** The number of the subagent's task within the call. */
  task: number;
  goal: string;
  depth: number;
};

/** A running subagent; without a call it is waiting for the model. */
type RunningSubagent = Subagent & {
  elapsedMs: number;
  call?: { name: string; arguments: string } | undefined;
};

type EndedSubagent = Subagent & { exitReason: ExitReason; toolCalls: number; durationMs: number };

/** The maximum length of a goal: enough to tell the goals apart. */
const MAX_GOAL_LENGTH = 32;

/** Returns the goal of the task with this number. */
export function goalOf(callArguments: string, task: number): string {
  const parsed = parseJson(callArguments);
  const tasks = isJsonObject(parsed) ? parsed['tasks'] : undefined;
  const found = Array.isArray(tasks) ? tasks[task - 1] : undefined;
  return isJsonObject(found) && typeof found['goal'] === 'string' ? found['goal'] : '';
}

/** Renders `  ○ 2 fix the parser › terminal  npm test  3s`. */
export function renderSubagent(subagent: RunningSubagent, width: number, theme: Style): string {
  const { call, elapsedMs } = subagent;
  const about = call && describeCall(call.name, call.arguments).slice(0, MAX_PROCESSED_LENGTH);
  const now = call === undefined ? 'thinking' : `${printable(call.name)} ${printableWhole(about ?? '')}`;
  const end = { text: elapsedMs < 1000 ? '' : `${Math.floor(elapsedMs / 1000)}s`, paint: theme.dim };
  return subagentLine(subagent, width, { mark: theme.dim('○'), about: `› ${now}`, end, theme });
}

/** Renders `  ● 2 fix the parser  ✓ 12.4s  4 calls`. */
export function renderSubagentEnd(subagent: EndedSubagent, width: number, theme: Style): string {
  const { exitReason, durationMs, toolCalls } = subagent;
  const { flag } = exitFacts(exitReason);
  const paint = flag === 'completed' ? theme.green : flag === 'failed' ? theme.red : theme.yellow;
  const how = flag === 'completed' ? '✓' : `✗ ${exitReason.replaceAll('_', ' ')}`;
  const end = { text: `${how} ${(durationMs / 1000).toFixed(1)}s`, paint };
  return subagentLine(subagent, width, { mark: theme.cyan('●'), about: counted(toolCalls, 'call'), end, theme });
}

type SubagentParts = { mark: string; about: string; end: Part; theme: Style };

/** In a narrow window, the number and the outcome take precedence over the description. */
function subagentLine(
  { task, goal, depth }: Subagent,
  width: number,
  { mark, about, end, theme }: SubagentParts,
): string {
  const indent = indentOf(depth, width);
  const number = fitWidth(String(task), width - textWidth(indent) - 2);
  let room = width - textWidth(indent) - 2 - textWidth(number);
  const take = (text: string, most = room): string => {
    const taken = fitWidth(text, Math.min(most, room - 1));
    room -= taken === '' ? 0 : textWidth(taken) + 1;
    return taken;
  };
  const ended = take(end.text);
  const shownGoal = take(printableWhole(goal.slice(0, MAX_PROCESSED_LENGTH)), MAX_GOAL_LENGTH);
  const shown = take(about);
  const parts: [string, Part['paint']][] = [
    [number, theme.bold],
    [shownGoal, (text) => text],
    [shown, theme.dim],
    [ended, end.paint],
  ];
  const texts = parts.filter(([text]) => text !== '').map(([text, paint]) => paint(text));
  return `${indent}${[mark, ...texts].join(' ')}`;
}

/** The indentation for a nesting depth, limited so that a line always has room. */
export function indentOf(depth = 0, width: number): string {
  return '  '.repeat(Math.min(depth, Math.floor(width / 8)));
}
