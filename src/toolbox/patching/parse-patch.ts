import { ToolFailure } from '../../tools/index.ts';
import { fromUnifiedDiff } from './unified-diff.ts';

/** A line of a hunk: context (space), removed or added. */
export type HunkLine = { mark: ' ' | '-' | '+'; text: string };
/** A hunk of a patch. `hint` is the text of a line above it. */
export type Hunk = { hint: string; lines: HunkLine[] };
export type FileChange =
  | { kind: 'add'; path: string; lines: string[] }
  | { kind: 'delete'; path: string }
  | { kind: 'update'; path: string; moveTo: string | undefined; hunks: Hunk[] };

const FILE_HEADER = /^\*\*\* (Add|Update|Delete|Move) File: (.+)$/;

/** Separates the old and the new path of a moved file. */
const MOVE_ARROW = / +-> +/;

/** The paths in a patch, without validating the rest of it. */
export function pathsInPatch(patch: string): string[] {
  const headers = fromUnifiedDiff(patch).matchAll(/^\*\*\* (?:(Add|Update|Delete|Move) File|Move to): (.+?)\s*$/gm);
  return [...headers].flatMap(([, kind, path = '']) => (kind === 'Move' ? path.split(MOVE_ARROW) : [path]));
}

/** Parses a patch of the form `*** Begin Patch … *** End Patch`, or a unified diff. */
export function parsePatch(patch: string): FileChange[] {
  const changes: FileChange[] = [];
  for (const { text, number } of significantLines(fromUnifiedDiff(patch))) {
    const header = FILE_HEADER.exec(text.trimEnd());
    const current = changes.at(-1);
    if (header) changes.push(startChange(header[1] ?? '', (header[2] ?? '').trim(), number));
    else if (current) addLine(current, text, number);
    else if (text.trim() !== '')
      throw malformed(number, 'expected a header "*** Update File: PATH", or the same with Add, Delete or Move');
  }
  if (changes.length === 0)
    throw new ToolFailure(
      'The patch names no file. Add a header "*** Update File: PATH", or the same with Add, Delete or Move.',
    );
  return changes;
}

type PatchLine = { text: string; number: number };

/** The lines between the begin and end markers, without empty lines that only separate sections. */
function significantLines(patch: string): PatchLine[] {
  const lines = patch
    .replaceAll('\r\n', '\n')
    .replace(/\n\s*$/, '')
    .split('\n')
    .map((text, index): PatchLine => ({ text, number: index + 1 }));
  let endsPart = true;
  const relevant = lines.toReversed().filter(({ text }) => {
    if (text === '' && endsPart) return false;
    endsPart = /^(?:\*\*\* |@@)/.test(text);
    return true;
  });
  relevant.reverse();
  if (relevant[0]?.text.trim() === '*** Begin Patch') relevant.shift();
  if (relevant.at(-1)?.text.trim() === '*** End Patch') relevant.pop();
  return relevant;
}

function startChange(kind: string, path: string, number: number): FileChange {
  if (kind === 'Add') return { kind: 'add', path, lines: [] };
  if (kind === 'Move') {
    const [from = '', to, ...rest] = path.split(MOVE_ARROW);
    if (to === undefined || rest.length > 0) throw malformed(number, 'expected "*** Move File: OLD -> NEW"');
    return { kind: 'update', path: from, moveTo: to, hunks: [] };
  }
  return kind === 'Delete' ? { kind: 'delete', path } : { kind: 'update', path, moveTo: undefined, hunks: [] };
}

/** Adds a line to a change. The marker `*** End of File`, which some models add, is ignored. */
function addLine(change: FileChange, line: string, number: number): void {
  if (line === '*** End of File') return;
  if (change.kind === 'add') {
    if (!line.startsWith('+')) throw malformed(number, 'each line of a new file must begin with +');
    change.lines.push(line.slice(1));
  } else if (change.kind === 'update') {
    addHunkLine(change, line, number);
  } else if (line.trim() !== '') throw malformed(number, 'no lines may follow "*** Delete File"');
}

function addHunkLine(change: Extract<FileChange, { kind: 'update' }>, line: string, number: number): void {
  const move = /^\*\*\* Move to: (.+)$/.exec(line.trimEnd());
  if (move) {
    change.moveTo = (move[1] ?? '').trim();
    return;
  }
  if (line.startsWith('@@')) {
    change.hunks.push({ hint: hintOf(line), lines: [] });
    return;
  }
  if (change.hunks.length === 0) change.hunks.push({ hint: '', lines: [] });
  // Models often omit the space in front of an empty line.
  const mark = line[0] ?? ' ';
  if (mark !== ' ' && mark !== '-' && mark !== '+')
    throw malformed(number, 'each line must begin with a space, - or +');
  change.hunks.at(-1)?.lines.push({ mark, text: line.slice(1) });
}

/** Parses `@@ hint` or `@@ hint @@`. Line numbers as in unified diffs are ignored, because models guess them. */
function hintOf(line: string): string {
  const hint = line
    .replace(/^@@ ?/, '')
    .replace(/ ?@@.*$/, '')
    .trim();
  return /^-\d+(?:,\d+)? \+\d+(?:,\d+)?$/.test(hint) ? '' : hint;
}

/** The line number is that of the patch, so that the model finds it in its own text. */
function malformed(number: number, reason: string): ToolFailure {
  return new ToolFailure(`Invalid patch at line ${number}: ${reason}. Nothing was changed.`);
}
