import type { Environment } from '../contracts/index.ts';
import { ToolFailure, type ToolRunContext } from '../tools/index.ts';
import { applyHunks } from './apply-hunks.ts';
import { type FileChange, parsePatch } from './parse-patch.ts';
import { readTextToChange, requireWriteApproval } from './text-file.ts';

/** A file as it should be; undefined where it should be gone. */
type PlannedFile = { path: string; before: string | undefined; after: string | undefined; done: string };

/** Applies a patch over several files: all of it, or nothing. */
export async function patchFiles(patch: string, context: ToolRunContext): Promise<string> {
  const plan: PlannedFile[] = [];
  for (const change of parsePatch(patch)) plan.push(...(await planChange(change, context.environment)));
  refuseTwice(plan);
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

/** The second change would start from the file as it was, and undo the first. */
function refuseTwice(plan: readonly PlannedFile[]): void {
  const twice = plan.find(({ path }, index) => plan.findIndex((other) => other.path === path) !== index);
  if (twice) throw new ToolFailure(`The patch names ${twice.path} twice; put its hunks together. Nothing was changed.`);
}

/** Writes the plan; where a file fails, those before it are put back. */
async function carryOut(plan: readonly PlannedFile[], context: ToolRunContext): Promise<void> {
  const finished: PlannedFile[] = [];
  try {
    for (const file of plan) {
      await putFile(file.path, file.after, context.environment);
      finished.push(file);
    }
  } catch (thrown) {
    for (const file of finished.reverse()) await putFile(file.path, file.before, context.environment);
    throw thrown;
  }
}

async function putFile(path: string, content: string | undefined, environment: Environment): Promise<void> {
  if (content !== undefined) return environment.writeFile(path, content);
  // Environments have no file operation for this; the path is quoted, so that it is only ever a path.
  const target = await environment.resolvePath(path);
  const command = `rm -f -- '${target.replaceAll("'", `'\\''`)}'`;
  // Not the call's own signal: what has begun is brought to an end, or put back.
  const { signal } = new AbortController();
  const { exitCode, output } = await environment.run(command, { timeoutMs: 10_000, signal, maxOutput: 1000 });
  if (exitCode !== 0) throw new ToolFailure(`${path} could not be deleted: ${output.trim()}`);
}
