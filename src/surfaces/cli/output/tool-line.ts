import { isJsonObject, parseJson, type ToolStatus } from '../../../base/index.ts';
import { shorten } from '../../../util/index.ts';
import { type Style, showable } from '../style.ts';

/** Which argument tells most about a call, in the order they are looked for. */
const TELLING = ['command', 'path', 'pattern', 'query', 'url', 'question', 'name', 'action'];
const LONGEST = 72;

/** What a call is about, in a few words: the command, the path, … */
export function describeArguments(text: string): string {
  const parsed = parseJson(text);
  if (!isJsonObject(parsed)) return '';
  const telling = TELLING.map((name) => parsed[name]).find((value) => typeof value === 'string' && value !== '');
  return shorten(showable(typeof telling === 'string' ? telling : ''), LONGEST);
}

const MARKS: Record<ToolStatus, { mark: string; colour: 'green' | 'red' | 'yellow' }> = {
  ok: { mark: '✓', colour: 'green' },
  error: { mark: '✗ failed', colour: 'red' },
  invalid: { mark: '✗ invalid', colour: 'red' },
  denied: { mark: '✗ denied', colour: 'yellow' },
  refused: { mark: '✗ refused', colour: 'yellow' },
  interrupted: { mark: '✗ interrupted', colour: 'yellow' },
};

/** One line for a finished call: `● terminal  echo hi  ✓ 0.1s`. */
export function toolLine(
  style: Style,
  call: { name: string; about: string; status: ToolStatus; durationMs: number },
): string {
  const { mark, colour } = MARKS[call.status];
  const parts = [`${style.cyan('●')} ${style.bold(showable(call.name))}`, style.dim(call.about), style[colour](mark)];
  return `${parts.filter((part) => part !== '').join('  ')} ${style.dim(`${(call.durationMs / 1000).toFixed(1)}s`)}`;
}
