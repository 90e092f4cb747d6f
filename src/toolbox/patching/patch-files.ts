import { errorMessage } from '../../base/index.ts';
import type { ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { quoteWord } from '../../util/index.ts';
import { announceChange } from '../changed-file.ts';
import { noteWritten, versionOf } from '../seen-files.ts';
import { explainFileErrors } from '../text/file-errors.ts';
import { refuseNul, requireWriteApproval } from '../text-file.ts';
import { parsePatch } from './parse-patch.ts';
import { planChange, type PlannedFile } from './plan-change.ts';

/** How long making a moved file executable may take. */
const CHMOD_MS = 10_000;

/** Applies a patch over several files: all of it, or nothing. */
export async function patchFiles(patch: string, context: ToolContext): Promise<string> {
  const plan: PlannedFile[] = [];
  for (const change of parsePatch(patch)) plan.push(...(await planChange(change, context)));
  await refuseTwice(plan, context);
  for (const { path } of plan) await requireWriteApproval(path, 'patch', context);
  await refuseChanged(plan, context);
  await carryOut(plan, context);
  for (const { path } of plan) await noteWritten(context, path);
  for (const { path, before, after } of plan) announceChange(context, path, before, after);
  return plan.map(({ done, path }) => `${done} ${path}`).join('\n');
}

/**
 * The second change would start from the file as it was, and undo the first. Names are compared as files: `a` and `./a`
 * are one, and so are a link and its target.
 */
async function refuseTwice(plan: readonly PlannedFile[], { environment }: ToolContext): Promise<void> {
  const seen = new Set<string>();
  for (const { path } of plan) {
    refuseNul(path);
    const file = await environment.resolvePath(path);
    if (seen.has(file))
      throw new ToolFailure(`The patch names ${path} twice; put its hunks together. Nothing was changed.`);
    seen.add(file);
  }
}

/** The person may have taken a while to answer, and others write files too. */
async function refuseChanged(plan: readonly PlannedFile[], { environment }: ToolContext): Promise<void> {
  for (const { path, version } of plan) {
    const now = await environment.stat(path);
    if ((now && versionOf(now)) !== version)
      throw new ToolFailure(
        `${path} was changed by someone else meanwhile. Nothing was changed; read it and try again.`,
      );
  }
}

/** Writes first and removes last, because what is removed cannot be put back as it was; on a failure all is undone. */
async function carryOut(plan: readonly PlannedFile[], context: ToolContext): Promise<void> {
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
    const left = await putBack(finished.reverse(), context);
    const outcome =
      left.length === 0
        ? 'All other files of the patch are as they were.'
        : `The files before it were put back, except for: ${left.join(', ')}. Look at these before you go on.`;
    throw new ToolFailure(`${errorMessage(thrown).replace(/\.$/, '')}. ${outcome}`);
  }
}

/** Tries every file, whatever becomes of the others; gives those that could not be put back. */
async function putBack(files: readonly PlannedFile[], context: ToolContext): Promise<string[]> {
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

/** A script that is moved stays a script. Whether that works out decides nothing. */
async function keepExecutable(from: string, to: string, { environment, signal }: ToolContext): Promise<void> {
  const [source, target] = await Promise.all([environment.resolvePath(from), environment.resolvePath(to)]);
  const command = `if test -x ${quoteWord(source)}; then chmod +x ${quoteWord(target)}; fi`;
  await environment.run(command, { timeoutMs: CHMOD_MS, signal, maxOutput: 1000 }).catch(() => undefined);
}
