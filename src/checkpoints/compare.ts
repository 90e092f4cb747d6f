import { isAbsolute, relative } from 'node:path';
import { HermesError } from '../base/index.ts';
import type { CheckpointDiff, FileChange } from '../contracts/index.ts';
import { isInside } from '../util/index.ts';
import { type BytePath, displayPath, splitNul, toBytePath } from './list-files.ts';
import type { StoreGit } from './store-git.ts';

/** Longer diffs are truncated. */
const MAX_TEXT_LENGTH = 400_000;

export type TreeChange = { path: BytePath; change: FileChange['change'] };

const CHANGES: Readonly<Record<string, FileChange['change']>> = {
  A: 'added',
  D: 'deleted',
  M: 'changed',
  T: 'changed',
};

/** The changes from one tree to another, by path; a rename counts as a deletion and an addition. */
export async function compareTrees(
  git: StoreGit,
  from: string,
  to: string,
  paths: readonly BytePath[],
): Promise<TreeChange[]> {
  const output = await git.runOrThrow(['diff-tree', '-r', '-z', '--no-renames', '--name-status', from, to]);
  const parts = splitNul(output);
  const changes: TreeChange[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [letter = '', path = ''] = parts.slice(index, index + 2);
    if (isWanted(path, paths)) changes.push({ path, change: CHANGES[letter] ?? 'changed' });
  }
  return changes;
}

export async function describeDiff(
  git: StoreGit,
  from: string,
  to: string,
  paths: readonly BytePath[],
): Promise<CheckpointDiff> {
  const changes = await compareTrees(git, from, to, paths);
  const plain = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', '--src-prefix=a/', '--dst-prefix=b/'];
  let length = 0;
  const { output } = await git.run(
    ['--literal-pathspecs', 'diff-tree', '-r', '-p', ...plain, from, to, '--', ...paths.map(displayPath)],
    {
      shouldStop: (bytes) => (length += bytes.length) > MAX_TEXT_LENGTH,
    },
  );
  const cut = output.length > MAX_TEXT_LENGTH;
  return {
    changes: changes.map(({ path, change }) => ({ path: displayPath(path), change })),
    text: output.subarray(0, MAX_TEXT_LENGTH).toString(),
    cut,
  };
}

/** Resolves paths given by the user relative to the directory. The directory itself selects all files. */
export function relativePaths(directory: string, paths: readonly string[] = []): BytePath[] {
  return paths.flatMap((path) => {
    const inside = isAbsolute(path) ? relative(directory, path) : relative(directory, `${directory}/${path}`);
    if (!isInside(directory, `${directory}/${inside}`)) {
      throw new HermesError(`${path} is outside ${directory}, so it is in no checkpoint.`);
    }
    return inside === '' ? [] : [toBytePath(inside)];
  });
}

function isWanted(path: BytePath, paths: readonly BytePath[]): boolean {
  return paths.length === 0 || paths.some((wanted) => path === wanted || path.startsWith(`${wanted}/`));
}
