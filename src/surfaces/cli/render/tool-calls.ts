import {
  type ChangedFile,
  exitFacts,
  type ExitReason,
  isJsonObject,
  type JsonObject,
  parseJson,
  type ToolStatus,
} from '../../../base/index.ts';
import { stripAnsi } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import { fitWidth, textWidth, wrapText } from '../../text/text-width.ts';
import { showable, showableWhole, type Style } from '../style.ts';

/** A call that runs. */
type RunningCall = {
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
const MAX_PREVIEW_LENGTH = 72;
/** So much of it stays, however long the result is. */
const KEPT_PREVIEW = 24;
const MIN_PART_LENGTH = 8;
/** A command can be a whole script. */
const MAX_EXAMINED = 2000;
const MAX_RESULT_LENGTH = 60;
/** Of an expanded result, from its beginning and from its end. */
const MAX_LINES = { first: 150, last: 50 };

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
  const outcome = showable(describeResult(call).slice(0, MAX_EXAMINED));
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
  const about = showableWhole(describeCall(name, text).slice(0, MAX_EXAMINED));
  // A result that does not fit next to the whole preview gets the room that a short preview leaves.
  const kept = Math.min(textWidth(about), KEPT_PREVIEW);
  const outcome = take(result?.text ?? '', Math.min(MAX_RESULT_LENGTH, room - kept - 4), MIN_PART_LENGTH);
  const preview = take(about, MAX_PREVIEW_LENGTH, MIN_PART_LENGTH);
  const pieces = [theme.bold(shownName), theme.dim(preview), end.paint(ended), result?.paint(outcome) ?? ''];
  return `${indent}${mark} ${pieces.filter((piece) => stripAnsi(piece) !== '').join('  ')}`;
}

function resultLines(call: EndedCall, width: number, theme: Style): string[] {
  const indent = `${indentOf(call.depth, width)}  `;
  const lines = wrapText(showable(call.content).trimEnd(), Math.max(2, width - textWidth(indent)));
  const left = lines.length - MAX_LINES.first - MAX_LINES.last;
  const shown =
    left > 0
      ? [...lines.slice(0, MAX_LINES.first), `… ${counted(left, 'more line')} …`, ...lines.slice(-MAX_LINES.last)]
      : lines;
  return shown.map((line) => `${indent}${theme.dim(line)}`.trimEnd());
}

/** Which argument tells most about a call of a tool that is not known here, in the order they are looked for. */
const TELLING = [
  'command',
  'path',
  'pattern',
  'query',
  'url',
  'question',
  'name',
  'action',
  'goal',
  'prompt',
  'code',
  'text',
];

/** What matters of the arguments of tools that have more than one that does. */
const PREVIEWS = new Map<string, (args: JsonObject) => string>(
  Object.entries({
    read_file: (args: JsonObject) => `${textOf(args, 'path')}${linesOf(args)}`,
    search_files: (args: JsonObject) => joined(textOf(args, 'pattern'), 'in', textOf(args, 'path')),
    patch: (args: JsonObject) => textOf(args, 'path') || filesInPatch(textOf(args, 'patch')),
    process: (args: JsonObject) => [textOf(args, 'action'), textOf(args, 'session_id')].filter(Boolean).join(' '),
    memory: (args: JsonObject) => joined(textOf(args, 'action'), 'in', textOf(args, 'target')),
    skill_manage: (args: JsonObject) => [textOf(args, 'action'), textOf(args, 'name')].filter(Boolean).join(' '),
    delegate_task: (args: JsonObject) => (Array.isArray(args['tasks']) ? counted(args['tasks'].length, 'task') : ''),
    web_extract: ({ urls }: JsonObject) =>
      Array.isArray(urls) ? urls.filter((url) => typeof url === 'string').join(', ') : '',
    vision_analyze: (args: JsonObject) => textOf(args, 'image_url'),
    todo: (args: JsonObject) => (Array.isArray(args['todos']) ? counted(args['todos'].length, 'item') : ''),
  }),
);

/** What a call is about, in a few words: the command, the path, … Not yet made harmless for a terminal. */
function describeCall(name: string, text: string): string {
  const args = parseJson(text);
  if (!isJsonObject(args)) return '';
  const own = PREVIEWS.get(name)?.(args);
  if (own !== undefined && own !== '') return own;
  const telling = TELLING.map((key) => textOf(args, key)).find((value) => value !== '');
  // Tools of others have names of their own for what they are about.
  return (
    telling ??
    Object.keys(args)
      .map((key) => textOf(args, key))
      .find((value) => value !== '') ??
    ''
  );
}

function textOf(args: JsonObject, key: string): string {
  const value = args[key];
  return typeof value === 'string' ? value : '';
}

/** `:10-49` for a part of a file, in the way in which people name lines. */
function linesOf({ offset, limit }: JsonObject): string {
  if (typeof offset !== 'number' && typeof limit !== 'number') return '';
  const first = typeof offset === 'number' ? offset : 1;
  return typeof limit === 'number' ? `:${first}-${first + limit - 1}` : `:${first}-`;
}

function joined(first: string, word: string, second: string): string {
  return first !== '' && second !== '' ? `${first} ${word} ${second}` : first;
}

function filesInPatch(patch: string): string {
  const files = [...patch.matchAll(/^\*\*\* (?:Update|Add|Delete|Move) File: (.+)$/gm)].map((match) => match[1] ?? '');
  return files.length > 3 ? `${files.slice(0, 2).join(', ')} and ${files.length - 2} more` : files.join(', ');
}

type FinishedCall = {
  name: string;
  status: ToolStatus;
  content: string;
  /** What it made of files. */
  changes?: readonly ChangedFile[];
};

/** What came of a call, in a few words; empty where its mark says all. Not yet made harmless for a terminal. */
function describeResult({ name, status, content, changes = [] }: FinishedCall): string {
  const parsed = content.startsWith('{') ? parseJson(content) : undefined;
  const error = isJsonObject(parsed) ? parsed['error'] : undefined;
  if (typeof error === 'string') return firstLine(error);
  if (status !== 'ok') return noteOf(content) ?? lastLine(content);
  return changes.length > 0 ? changeFigures(changes) : (RESULTS.get(name)?.(content) ?? '');
}

/** `+12 −3`, over all files. */
function changeFigures(changes: readonly ChangedFile[]): string {
  const [added, removed] = [sumOf(changes, 'added'), sumOf(changes, 'removed')];
  return [added > 0 ? `+${added}` : '', removed > 0 ? `−${removed}` : ''].filter(Boolean).join(' ');
}

function sumOf(changes: readonly ChangedFile[], figure: 'added' | 'removed'): number {
  return changes.reduce((sum, change) => sum + change[figure], 0);
}

const RESULTS = new Map<string, (content: string) => string>(
  Object.entries({
    terminal: (content: string) => noteOf(content) ?? (content === '(no output)' ? 'no output' : shortOutput(content)),
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

/** One line is shown, of more it is said how many they are. */
function shortOutput(content: string): string {
  const lines = content.trimEnd().split('\n');
  return lines.length === 1 ? (lines[0] ?? '') : counted(lines.length, 'line');
}

/** The last of what our tools say in brackets below an output, such as the exit code. */
function noteOf(content: string): string | undefined {
  return content.match(/^\[(exit code .*|stopped after .*|interrupted .*|ended by .*)\]$/m)?.[1];
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

type Subagent = {
  /** Its number among those of the call that started it. */
  task: number;
  goal: string;
  depth: number;
};

/** A subagent that works; without a call it thinks. */
type RunningSubagent = Subagent & {
  elapsedMs: number;
  call?: { name: string; arguments: string } | undefined;
};

type EndedSubagent = Subagent & { exitReason: ExitReason; toolCalls: number; durationMs: number };

/** Enough of a goal to tell one from the others. */
const MAX_GOAL_LENGTH = 32;

/** What the call was asked to have done under this number. */
export function goalOf(callArguments: string, task: number): string {
  const parsed = parseJson(callArguments);
  const tasks = isJsonObject(parsed) ? parsed['tasks'] : undefined;
  const found = Array.isArray(tasks) ? tasks[task - 1] : undefined;
  return isJsonObject(found) && typeof found['goal'] === 'string' ? found['goal'] : '';
}

/** `  ○ 2 fix the parser › terminal  npm test  3s`. */
export function renderSubagent(subagent: RunningSubagent, width: number, theme: Style): string {
  const { call, elapsedMs } = subagent;
  const about = call && describeCall(call.name, call.arguments).slice(0, MAX_EXAMINED);
  const now = call === undefined ? 'thinking' : `${showable(call.name)} ${showableWhole(about ?? '')}`;
  const end = { text: elapsedMs < 1000 ? '' : `${Math.floor(elapsedMs / 1000)}s`, paint: theme.dim };
  return lineOf(subagent, width, { mark: theme.dim('○'), about: `› ${now}`, end, theme });
}

/** `  ● 2 fix the parser  ✓ 12.4s  4 calls`. */
export function renderSubagentEnd(subagent: EndedSubagent, width: number, theme: Style): string {
  const { exitReason, durationMs, toolCalls } = subagent;
  const { flag } = exitFacts(exitReason);
  const paint = flag === 'completed' ? theme.green : flag === 'failed' ? theme.red : theme.yellow;
  const how = flag === 'completed' ? '✓' : `✗ ${exitReason.replaceAll('_', ' ')}`;
  const end = { text: `${how} ${(durationMs / 1000).toFixed(1)}s`, paint };
  return lineOf(subagent, width, { mark: theme.cyan('●'), about: counted(toolCalls, 'call'), end, theme });
}

type SubagentParts = { mark: string; about: string; end: Part; theme: Style };

/** Its number and how it ended are seen in nearly any window; what it is about gives way. */
function lineOf({ task, goal, depth }: Subagent, width: number, { mark, about, end, theme }: SubagentParts): string {
  const indent = indentOf(depth, width);
  const number = fitWidth(String(task), width - textWidth(indent) - 2);
  let room = width - textWidth(indent) - 2 - textWidth(number);
  const take = (text: string, most = room): string => {
    const taken = fitWidth(text, Math.min(most, room - 1));
    room -= taken === '' ? 0 : textWidth(taken) + 1;
    return taken;
  };
  const ended = take(end.text);
  const shownGoal = take(showableWhole(goal.slice(0, MAX_EXAMINED)), MAX_GOAL_LENGTH);
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

/** How far the lines of a child are moved to the right; never so far that nothing of them is left. */
export function indentOf(depth = 0, width: number): string {
  return '  '.repeat(Math.min(depth, Math.floor(width / 8)));
}
