import { type ExitReason, exitFacts, isJsonObject, parseJson } from '../../../../base/index.ts';
import { counted } from '../../../text/counted.ts';
import { fitWidth, textWidth } from '../../../text/text-width.ts';
import { type Style, showable, showableWhole } from '../../style.ts';
import { describeCall } from './describe-call.ts';
import { indentOf } from './indent.ts';

type Subagent = {
  /** Its number among those of the call that started it. */
  task: number;
  goal: string;
  depth: number;
};

/** A subagent that works; without a call it thinks. */
export type RunningSubagent = Subagent & {
  elapsedMs: number;
  call?: { name: string; arguments: string } | undefined;
};

export type EndedSubagent = Subagent & { exitReason: ExitReason; toolCalls: number; durationMs: number };

/** Enough of a goal to tell one from the others. */
const LONGEST_GOAL = 32;
const MOST_LOOKED_AT = 2000;

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
  const about = call && describeCall(call.name, call.arguments).slice(0, MOST_LOOKED_AT);
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

type Part = { text: string; paint(text: string): string };
type LineParts = { mark: string; about: string; end: Part; theme: Style };

/** Its number and how it ended are seen in nearly any window; what it is about gives way. */
function lineOf({ task, goal, depth }: Subagent, width: number, { mark, about, end, theme }: LineParts): string {
  const indent = indentOf(depth, width);
  const number = fitWidth(String(task), width - textWidth(indent) - 2);
  let room = width - textWidth(indent) - 2 - textWidth(number);
  const take = (text: string, most = room): string => {
    const taken = fitWidth(text, Math.min(most, room - 1));
    room -= taken === '' ? 0 : textWidth(taken) + 1;
    return taken;
  };
  const ended = take(end.text);
  const shownGoal = take(showableWhole(goal.slice(0, MOST_LOOKED_AT)), LONGEST_GOAL);
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
