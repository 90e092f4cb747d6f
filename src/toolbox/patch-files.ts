import { errorMessage } from '../base/index.ts';
import type { Environment, ToolContext } from '../contracts/index.ts';
import { ToolFailure } from '../tools/index.ts';
import { applyHunks } from './apply-hunks.ts';
import { type FileChange, parsePatch } from './parse-patch.ts';
import { readTextToChange, requireWriteApproval } from './text-file.ts';

/** A file as it should be; undefined where it should be gone. */
type PlannedFile = { path: string; before: string | undefined; after: string | undefined; done: string };

/** Applies a patch over several files: all of it, or nothing. */
export async function patchFiles(patch: string, context: ToolContext): Promise<string> {
  const plan: PlannedFile[] = [];
  for (const change of parsePatch(patch)) plan.push(...(await planChange(change, context.environment)));
  await refuseTwice(plan, context.environment);
  for (const { path } of plan) await requireWriteApproval(path, 'patch', context);
  await carryOut(plan, context);
  return plan.map(({ done, path }) => `${done} ${path}`).join('\n');
}

/** Everything that can be known beforehand fails here, before the first byte is written. */
async function planChange(change: FileChange, environment: Environment): Promise<PlannedFile[]> {
  const { path } = change;
  if (change.kind === 'add') {
    if (await environment.stat(path)) throw new ToolFailure(`${path} exists already. Nothing was changed.`);
    const after = change.lines.map((line) => `${line}\n`).join('');
    return [{ path, before: undefined, after, done: 'Created' }];
  }
  const before = await readTextToChange(path, environment);
  if (change.kind === 'delete') return [{ path, before, after: undefined, done: 'Deleted' }];
  const after = applyHunks(before, change.hunks, path);
  if (change.moveTo === undefined) return [{ path, before, after, done: 'Changed' }];
  if (await environment.stat(change.moveTo))
    throw new ToolFailure(`${change.moveTo} exists already. Nothing was changed.`);
  return [
    { path: change.moveTo, before: undefined, after, done: 'Created' },
    { path, before, after: undefined, done: 'Deleted' },
  ];
}

/**
 * The second change would start from the file as it was, and undo the first. Names are compared as files: `a` and `./a`
 * are one, and so are a link and its target.
 */
async function refuseTwice(plan: readonly PlannedFile[], environment: Environment): Promise<void> {
  const seen = new Set<string>();
  for (const { path } of plan) {
    const file = await environment.resolvePath(path);
    if (seen.has(file))
      throw new ToolFailure(`The patch names ${path} twice; put its hunks together. Nothing was changed.`);
    seen.add(file);
  }
}

/** Writes the plan; where a file fails, those before it are put back. */
async function carryOut(plan: readonly PlannedFile[], { environment }: ToolContext): Promise<void> {
  const finished: PlannedFile[] = [];
  try {
    for (const file of plan) {
      await putFile(file.path, file.after, environment);
      finished.push(file);
    }
  } catch (thrown) {
    const left = await putBack(finished.reverse(), environment);
    if (left.length === 0) throw thrown;
    throw new ToolFailure(
      `${errorMessage(thrown)}. The files before it were put back, except for: ${left.join(', ')}. Look at these before you go on.`,
    );
  }
}

/** Tries every file, whatever becomes of the others; gives those that could not be put back. */
async function putBack(files: readonly PlannedFile[], environment: Environment): Promise<string[]> {
  const left: string[] = [];
  for (const { path, before } of files) {
    try {
      await putFile(path, before, environment);
    } catch {
      left.push(path);
    }
  }
  return left;
}

function putFile(path: string, content: string | undefined, environment: Environment): Promise<void> {
  return content === undefined ? environment.removeFile(path) : environment.writeFile(path, content);
}
