import type { ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { versionOf } from '../seen-files.ts';
import { explainFileErrors } from '../text/file-errors.ts';
import { refuseBrokenSyntax } from '../text/syntax-check.ts';
import { findFile, readTextToChange, refuseNul } from '../text-file.ts';
import { applyHunks } from './apply-hunks.ts';
import type { FileChange } from './parse-patch.ts';

/** What is removed is kept until all is done, to be put back. */
const MAX_REMOVED_SIZE = 64 * 1024 * 1024;

/** A file as it is and as it should be; undefined where it is not there. */
export type PlannedFile = {
  path: string;
  before: string | Uint8Array | undefined;
  after: string | undefined;
  /** What the file was like when it was looked at; undefined where it was not there. */
  version: string | undefined;
  /** What the model reads: Created, Changed, Deleted. */
  done: string;
  movedFrom?: string;
};

/** Everything that can be known beforehand fails here, before the first byte is written. */
export async function planChange(change: FileChange, context: ToolContext): Promise<PlannedFile[]> {
  const { path } = change;
  if (change.kind === 'add') {
    const after = change.lines.map((line) => `${line}\n`).join('');
    await refuseBrokenSyntax(path, after, undefined);
    return [await planNew(path, after, context)];
  }
  if (change.kind === 'delete') return [await planRemoval(path, context)];
  const { text: before, found } = await readTextToChange(path, context, 'patch');
  const after = applyHunks(before, change.hunks, path);
  await refuseBrokenSyntax(path, after, before);
  const version = versionOf(found);
  if (change.moveTo === undefined) return [{ path, before, after, version, done: 'Changed' }];
  const moved = await planNew(change.moveTo, after, context);
  return [
    { ...moved, movedFrom: path },
    { path, before, after: undefined, version, done: 'Deleted' },
  ];
}

async function planNew(path: string, after: string, { environment }: ToolContext): Promise<PlannedFile> {
  refuseNul(path);
  const present = await explainFileErrors(path, 'write', () => environment.stat(path));
  if (present) throw new ToolFailure(`${path} exists already. Nothing was changed.`);
  return { path, before: undefined, after, version: undefined, done: 'Created' };
}

/** Any file may go, text or not. */
async function planRemoval(path: string, context: ToolContext): Promise<PlannedFile> {
  const found = await findFile(path, context, 'patch');
  if (found.size > MAX_REMOVED_SIZE)
    throw new ToolFailure(`${path} has ${found.size} bytes; remove it with a command in the terminal.`);
  const before = await explainFileErrors(path, 'read', () => context.environment.readFile(path));
  return { path, before, after: undefined, version: versionOf(found), done: 'Deleted' };
}
