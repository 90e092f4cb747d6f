import { ToolFailure } from '../../tools/index.ts';
import { BYTE_ORDER_MARK } from '../text/line-endings.ts';
import { linesOf, lineNumberAt } from '../text/text-lines.ts';
import { type FoundRegions, findRegions } from './find-regions.ts';
import { mergeLines, type Region, type Wanted } from './merge-lines.ts';
import { explainMissing } from './nearest-lines.ts';

const MAX_LISTED = 20;
const MAX_SHOWN = 12;

export type Replacement = Wanted & { replaceAll: boolean };
export type Replaced = {
  text: string;
  edits: number;
  /** Their line numbers, to be read. */
  lines: string;
  /** What had to be forgiven, with the outcome, to be read; empty where the text was there exactly. */
  note: string;
};

/** Replaces text that occurs once, or everywhere; nothing outside the matches changes. */
export function replaceText(text: string, wanted: Replacement, path: string): Replaced {
  refusePointless(wanted);
  // The mark is no character of the first line.
  if (text.startsWith(BYTE_ORDER_MARK) && !wanted.oldString.startsWith(BYTE_ORDER_MARK)) {
    const replaced = replaceText(text.slice(1), wanted, path);
    return { ...replaced, text: BYTE_ORDER_MARK + replaced.text };
  }
  const found = findRegions(text, wanted);
  if (!found) throw new ToolFailure(explainMissing(text, wanted, path));
  refuseDoubt(text, found, wanted.replaceAll, path);
  const { regions } = found;
  const result = applyRegions(text, found);
  if (result === text) throw new ToolFailure(`${path} is like this already: the change would alter nothing.`);
  return { text: result, edits: regions.length, lines: listLines(text, regions), note: describeMatch(result, found) };
}

function refusePointless({ oldString, newString }: Wanted): void {
  if (oldString === '') throw new ToolFailure('old_string is empty. To create or replace a whole file use write_file.');
  if (oldString === newString) throw new ToolFailure('old_string and new_string are the same; nothing to change.');
}

function refuseDoubt(text: string, { regions, forgives, sure }: FoundRegions, replaceAll: boolean, path: string): void {
  if (regions.length > 1 && !replaceAll) {
    throw new ToolFailure(
      `old_string occurs ${regions.length} times in ${path} (lines ${listLines(text, regions)}). Add lines around it until it is unique, or set replace_all.`,
    );
  }
  if (replaceAll && !sure) {
    throw new ToolFailure(
      `old_string is in ${path} only roughly (lines ${listLines(text, regions)}; it differs in ${forgives}), which is too uncertain for replace_all. Copy the text exactly.`,
    );
  }
}

/** Enough to find the places; thousands of numbers would help nobody. */
function listLines(text: string, regions: readonly Region[]): string {
  const numbers = regions.slice(0, MAX_LISTED).map(({ start }) => lineNumberAt(text, start));
  return numbers.join(', ') + (regions.length > MAX_LISTED ? ', …' : '');
}

/** Built from slices of the original: what no region covers cannot change. */
function applyRegions(text: string, { regions, wanted }: FoundRegions): string {
  let result = '';
  let at = 0;
  for (const [index, region] of regions.entries()) {
    const room = { from: at, to: regions[index + 1]?.start ?? text.length };
    const { start, end, replacement } = mergeLines(text, region, wanted, room);
    result += text.slice(at, start) + replacement;
    at = end;
  }
  return result + text.slice(at);
}

/** Where something was forgiven, the model sees what came of it. */
function describeMatch(result: string, { regions, forgives, wanted }: FoundRegions): string {
  const [first] = regions;
  if (forgives === '' || !first) return '';
  const count = wanted.newString.replace(/\n$/, '').split('\n').length;
  const from = lineNumberAt(result, first.start);
  const shown = linesOf(result).slice(from - 1, from - 1 + Math.min(count, MAX_SHOWN));
  const lines = shown.map((line, index) => `${from + index}|${line.text.slice(0, 200)}`);
  return `\nold_string differed from the file in ${forgives}. It now reads:\n${lines.join('\n')}`;
}
