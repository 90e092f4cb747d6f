import { errorMessage } from '../../base/index.ts';
import type { ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { quoteShellWord, shorten } from '../../util/index.ts';
import { reportChange } from '../changed-file.ts';
import { noteWritten, versionOf } from '../seen-files.ts';
import { findFile, readTextToChange, rejectNul, requireWriteApproval, shownPath } from '../text-file.ts';
import { explainFileErrors } from '../text/file-errors.ts';
import { BYTE_ORDER_MARK, lineEndAt, linesOf, type TextLine } from '../text/text-lines.ts';
import { rejectSyntaxErrors } from '../text/syntax-check.ts';
import { keepIndent, LINE_STRATEGIES, type LineMatch, matchLines } from './match-lines.ts';
import { mostSimilarLines } from './nearest-lines.ts';
import { type FileChange, type Hunk, parsePatch } from './parse-patch.ts';

/** Timeout of the chmod of a moved file. */
const CHMOD_MS = 10_000;

/** Applies a patch to several files atomically. */
export async function patchFiles(patch: string, context: ToolContext): Promise<string> {
  const plan: PlannedFile[] = [];
  for (const change of parsePatch(patch)) plan.push(...(await planChange(change, context)));
  await rejectDuplicateFiles(plan, context);
  for (const { path } of plan) await requireWriteApproval(path, 'patch', context);
  await rejectChangedFiles(plan, context);
  await applyPlan(plan, context);
  for (const { path } of plan) await noteWritten(context, path);
  for (const { path, before, after } of plan) reportChange(context, path, before, after);
  return plan.map(({ done, path }) => `${done} ${shownPath(path, context)}`).join('\n');
}

/**
 * Refuses two changes of one file, because the second would overwrite the first. Paths are compared after resolving
 * links.
 */
async function rejectDuplicateFiles(plan: readonly PlannedFile[], { environment }: ToolContext): Promise<void> {
  const seen = new Set<string>();
  for (const { path } of plan) {
    rejectNul(path);
    const file = await environment.resolvePath(path);
    if (seen.has(file))
      throw new ToolFailure(
        `The patch contains ${path} twice. Nothing was changed. Put all hunks of the file under one header.`,
      );
    seen.add(file);
  }
}

/** The files may have changed while the user was deciding. */
async function rejectChangedFiles(plan: readonly PlannedFile[], { environment }: ToolContext): Promise<void> {
  for (const { path, version } of plan) {
    const now = await environment.stat(path);
    if ((now && versionOf(now)) !== version)
      throw new ToolFailure(
        `${path} was changed by another program in the meantime. Nothing was changed; read the file and try again.`,
      );
  }
}

/** Writes first and removes last, because a removal cannot be fully undone. A failure rolls everything back. */
async function applyPlan(plan: readonly PlannedFile[], context: ToolContext): Promise<void> {
  const finished: PlannedFile[] = [];
  const inOrder = [
    ...plan.filter(({ after }) => after !== undefined),
    ...plan.filter(({ after }) => after === undefined),
  ];
  try {
    for (const file of inOrder) {
      await explainFileErrors(file.path, 'write', () => putFile(file.path, file.after, context));
      finished.push(file);
      if (file.movedFrom !== undefined) await keepExecutable(file.movedFrom, file.path, context);
    }
  } catch (thrown) {
    const left = await rollBack(finished.reverse(), context);
    const outcome =
      left.length === 0
        ? 'All other files of the patch are unchanged.'
        : `The other files were restored, except for: ${left.join(', ')}. Check these before you continue.`;
    throw new ToolFailure(`${errorMessage(thrown).replace(/\.$/, '')}. ${outcome}`);
  }
}

/** Rolls back every file and returns those that could not be restored. */
async function rollBack(files: readonly PlannedFile[], context: ToolContext): Promise<string[]> {
  const left: string[] = [];
  for (const { path, before } of files) {
    try {
      await putFile(path, before, context);
    } catch {
      left.push(path);
    }
  }
  return left;
}

function putFile(path: string, content: PlannedFile['before'], { environment }: ToolContext): Promise<void> {
  return content === undefined ? environment.removeFile(path) : environment.writeFile(path, content);
}

/** Keeps the executable bit of a moved file. A failure is ignored. */
async function keepExecutable(from: string, to: string, { environment, signal }: ToolContext): Promise<void> {
  const [source, target] = await Promise.all([environment.resolvePath(from), environment.resolvePath(to)]);
  const command = `if test -x ${quoteShellWord(source)}; then chmod +x ${quoteShellWord(target)}; fi`;
  await environment.run(command, { timeoutMs: CHMOD_MS, signal, maxOutput: 1000 }).catch(() => undefined);
}

/** Keeps removed content for a rollback. */
const MAX_REMOVED_SIZE = 64 * 1024 * 1024;

/** The content of a file before and after; undefined if it does not exist. */
type PlannedFile = {
  path: string;
  before: string | Uint8Array | undefined;
  after: string | undefined;
  /** The file's stat when it was read; undefined if it did not exist. */
  version: string | undefined;
  /** The verb in the result text: Created, Changed or Deleted. */
  done: string;
  movedFrom?: string;
};

/** Validates a change before anything is written. */
async function planChange(change: FileChange, context: ToolContext): Promise<PlannedFile[]> {
  const { path } = change;
  if (change.kind === 'add') {
    const after = change.lines.map((line) => `${line}\n`).join('');
    await rejectSyntaxErrors(path, after, undefined);
    return [await planNew(path, after, context)];
  }
  if (change.kind === 'delete') return [await planRemoval(path, context)];
  const { text: before, found } = await readTextToChange(path, context, 'patch');
  const after = applyHunks(before, change.hunks, path);
  await rejectSyntaxErrors(path, after, before);
  const version = versionOf(found);
  if (change.moveTo === undefined) return [{ path, before, after, version, done: 'Changed' }];
  const moved = await planNew(change.moveTo, after, context);
  return [
    { ...moved, movedFrom: path },
    { path, before, after: undefined, version, done: 'Deleted' },
  ];
}

async function planNew(path: string, after: string, { environment }: ToolContext): Promise<PlannedFile> {
  rejectNul(path);
  const present = await explainFileErrors(path, 'write', () => environment.stat(path));
  if (present) throw new ToolFailure(`${path} already exists. Nothing was changed.`);
  return { path, before: undefined, after, version: undefined, done: 'Created' };
}

/** Binary files may be deleted too. */
async function planRemoval(path: string, context: ToolContext): Promise<PlannedFile> {
  const found = await findFile(path, context, 'patch');
  if (found.size > MAX_REMOVED_SIZE)
    throw new ToolFailure(
      `${path} is too large to delete with a patch (${found.size} bytes); delete the file with a terminal command.`,
    );
  const before = await explainFileErrors(path, 'read', () => context.environment.readFile(path));
  return { path, before, after: undefined, version: versionOf(found), done: 'Deleted' };
}

/** Applies the hunks of one file in order. Lines that no hunk removes keep their bytes. */
export function applyHunks(text: string, hunks: readonly Hunk[], path: string): string {
  // The byte order mark is not part of the first line.
  if (text.startsWith(BYTE_ORDER_MARK)) return BYTE_ORDER_MARK + applyHunks(text.slice(1), hunks, path);
  const lines = linesOf(text);
  let result = '';
  let done = 0;
  for (const [index, hunk] of hunks.entries()) {
    const before = hunk.lines.filter(({ mark }) => mark !== '+').map((line) => line.text);
    const match = findHunkPosition(hunk.hint, before, { text, lines, done, name: `Hunk ${index + 1} of ${path}` });
    result += bytesOf(text, lines.slice(done, match.at));
    done = match.at + before.length;
    result = applyHunk(result, text, hunk, match, lines.slice(match.at, done));
  }
  const rest = bytesOf(text, lines.slice(done));
  // Do not add a trailing newline that the file did not have.
  const bare = rest === '' && text !== '' && !text.endsWith('\n');
  return bare ? result.replace(/\r?\n$/, '') : result + rest;
}

function bytesOf(text: string, lines: readonly TextLine[]): string {
  const [first] = lines;
  return first ? text.slice(first.start, lines.at(-1)?.next) : '';
}

/** Context lines are taken from the file, because the patch may differ in white space. */
function applyHunk(before: string, text: string, hunk: Hunk, match: LineMatch, matched: readonly TextLine[]): string {
  const lineEnd = lineEndAt(text, matched[0]?.start ?? before.length);
  let result = before;
  let at = 0;
  /** Line endings of removed lines, which their replacements take over. */
  let ends: string[] = [];
  for (const line of hunk.lines) {
    if (line.mark === '+') {
      if (result !== '' && !result.endsWith('\n')) result += lineEnd;
      result += match.reindent(line.text) + (ends.shift() || lineEnd);
      continue;
    }
    const own = matched[at];
    if (own) {
      if (line.mark === '-') ends.push(text.slice(own.end, own.next));
      else {
        result += text.slice(own.start, own.next);
        ends = [];
      }
    }
    at += 1;
  }
  return result;
}

/** The state of the search for a hunk. */
type Position = { text: string; lines: readonly TextLine[]; done: number; name: string };

/** Finds the unique position of a hunk after the previous one and after its hint. */
function findHunkPosition(hint: string, before: readonly string[], position: Position): LineMatch {
  const { text, lines, name } = position;
  const from = afterHint(hint, position);
  if (before.length === 0) return { at: hint === '' ? lines.length : from + 1, reindent: keepIndent };
  for (const strategy of LINE_STRATEGIES) {
    const found = matchLines(lines, before, strategy, from);
    if (found.length > 1 && hint === '') {
      const places = found.map(({ at }) => at + 1).join(', ');
      throw new ToolFailure(
        `${name} matches several positions (lines ${places}). Nothing was changed. Add context lines, or write an earlier line of the file after @@.`,
      );
    }
    if (found[0]) return found[0];
  }
  const wanted = before.find((line) => line.trim() !== '') ?? '';
  const nearest = mostSimilarLines(text, wanted);
  const help = nearest.length > 0 ? ` The most similar lines are:\n${nearest.join('\n')}` : '';
  throw new ToolFailure(
    `${name} does not apply: its lines, starting with "${shorten(wanted, 80)}", were not found in the file${from > 0 ? ` from line ${from + 1} on` : ''}. Nothing was changed. Copy the lines exactly from read_file.${help}`,
  );
}

/** The line that contains the hint, from which the hunk is searched. */
function afterHint(hint: string, { lines, done, name }: Position): number {
  if (hint === '') return done;
  const at = lines.findIndex((line, index) => index >= done && line.text.includes(hint));
  if (at < 0)
    throw new ToolFailure(
      `${name} does not apply: no line contains "${shorten(hint, 80)}", the text after @@. Nothing was changed.`,
    );
  // The hint may be the first line of the hunk.
  return at;
}
