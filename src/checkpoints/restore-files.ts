import { chmodSync, rmdirSync, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { errorMessage, newId } from '../base/index.ts';
import type { RestoreReport } from '../contracts/index.ts';
import type { TreeChange } from './compare.ts';
import { pathIn, statsOf } from './store-files.ts';
import { type BytePath, joinNul, displayPath, splitNul } from './list-files.ts';
import type { StoredCheckpoint } from './records.ts';
import type { StoreGit } from './store-git.ts';
import type { StorePaths } from './store-paths.ts';

export type RestoreFilesOptions = {
  place: StorePaths;
  git: StoreGit;
  /** The checkpoint to restore. */
  target: StoredCheckpoint;
  /** The tree of the current files. Only these may be overwritten, because they can be restored. */
  present: string;
  /** The changes from the checkpoint to the current files. */
  changes: readonly TreeChange[];
  /** Lists the files that are not ignored. Called after the restore, so that the restored ignore rules apply. */
  listed(): Promise<readonly BytePath[]>;
};

type Report = { written: BytePath[]; removed: BytePath[]; kept: { path: BytePath; why: string }[] };

/** Restores the files of a directory. Never overwrites or removes a file that is not in a checkpoint. */
export async function restoreFiles(options: RestoreFilesOptions): Promise<Omit<RestoreReport, 'before'>> {
  const { changes, place, target } = options;
  const report: Report = { written: [], removed: [], kept: [] };
  const added = changes.filter(({ change }) => change === 'added').map(({ path }) => path);
  const others = changes.filter(({ change }) => change !== 'added').map(({ path }) => path);
  // First remove files that are in the way of a folder. Which of the other added files may be removed is known only
  // after the ignore rules have been restored.
  const [inTheWay, rest] = partition(added, matchObstructing(others));
  removeFiles(inTheWay, place, report);
  await writeFiles(others, options, report);
  const leftOut = new Set(target.leftOutPaths);
  const wasNew = new Set(rest.length === 0 ? [] : await options.listed());
  const [created, notOurs] = partition(rest, (path) => wasNew.has(path) && !leftOut.has(path));
  removeFiles(created, place, report);
  report.kept.push(
    ...notOurs.map((path) => ({ path, why: 'it already existed but was not stored in the checkpoint' })),
  );
  const kept = report.kept.map(({ path, why }) => ({ path: displayPath(path), why }));
  return { written: report.written.map(displayPath), removed: report.removed.map(displayPath), kept };
}

/** Matches a file where a folder is needed, or a file in a folder where a file is needed. */
function matchObstructing(needed: readonly BytePath[]): (path: BytePath) => boolean {
  const files = new Set(needed);
  const folders = new Set(needed.flatMap(foldersOf));
  return (path) => folders.has(path) || foldersOf(path).some((folder) => files.has(folder));
}

/** The parent folders of a path, innermost first. */
function foldersOf(path: BytePath): BytePath[] {
  const folders: BytePath[] = [];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) folders.push(path.slice(0, end));
  return folders;
}

function removeFiles(paths: readonly BytePath[], { directory }: StorePaths, report: Report): void {
  for (const path of paths) {
    try {
      unlinkSync(pathIn(directory, path));
      report.removed.push(path);
      removeEmptyFolders(directory, path);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') continue;
      report.kept.push({ path, why: errorMessage(thrown) });
    }
  }
}

/** Removes folders that became empty; checkpoints do not contain empty folders. */
function removeEmptyFolders(directory: string, path: BytePath): void {
  for (const folder of foldersOf(path)) {
    try {
      rmdirSync(pathIn(directory, folder));
    } catch {
      return;
    }
  }
}

async function writeFiles(paths: readonly BytePath[], options: RestoreFilesOptions, report: Report): Promise<void> {
  const { place, git, target, present } = options;
  const held = new Set(splitNul(await git.runOrThrow(['ls-tree', '-r', '-z', '--name-only', present])));
  const modes = new Map<BytePath, number>();
  const writable = paths.filter((path) => {
    const stats = statsOf(pathIn(place.directory, path));
    if (stats?.isFile()) modes.set(path, stats.mode & 0o777);
    const why = findObstacle(path, { directory: place.directory, held });
    if (why !== undefined) report.kept.push({ path, why });
    return why === undefined;
  });
  if (writable.length === 0) return;
  const indexFile = `${place.indexFile}.${newId('back')}`;
  try {
    const wanted = new Set(writable);
    const rows = splitNul(await git.runOrThrow(['ls-tree', '-r', '-z', target.commit]));
    const input = joinNul(rows.filter((row) => wanted.has(row.slice(row.indexOf('\t') + 1))));
    await git.runOrThrow(['update-index', '-z', '--index-info'], { indexFile, input });
    const { errors } = await git.run(['checkout-index', '--force', '--all', '-u'], { indexFile });
    const { written, missed } = await findWritten(writable, { ...options, indexFile });
    report.written.push(...written);
    report.kept.push(...missed.map((path) => ({ path, why: errors === '' ? 'it could not be written' : errors })));
    restoreModes(written, modes, options);
  } finally {
    await rm(indexFile, { force: true });
  }
}

/** Why a file cannot be restored without losing data that is in no checkpoint; undefined if it can. */
function findObstacle(
  path: BytePath,
  { directory, held }: { directory: string; held: ReadonlySet<BytePath> },
): string | undefined {
  // Files in the way that are in a checkpoint have been removed by now. Writing through a remaining link would write
  // somewhere else.
  const blocked = foldersOf(path).find((folder) => statsOf(pathIn(directory, folder))?.isDirectory() === false);
  if (blocked !== undefined) return `${displayPath(blocked)} is not a folder any more`;
  const stats = statsOf(pathIn(directory, path));
  if (stats?.isDirectory()) return 'there is a folder with this name now';
  return stats === undefined || held.has(path) ? undefined : 'its current content is in no checkpoint';
}

/** Compares the files on disk instead of relying on git's exit code. */
async function findWritten(
  paths: readonly BytePath[],
  { git, indexFile }: RestoreFilesOptions & { indexFile: string },
) {
  await git.run(['update-index', '-q', '--refresh'], { indexFile });
  const output = await git.runOrThrow(['diff-files', '-z', '--name-only'], { indexFile });
  const different = new Set(splitNul(output));
  const [missed, written] = partition(paths, (path) => different.has(path));
  return { missed, written };
}

/** Git stores only the executable bit, so private files must be made private again. */
function restoreModes(
  paths: readonly BytePath[],
  modes: ReadonlyMap<BytePath, number>,
  { place, target }: RestoreFilesOptions,
): void {
  const ownOnly = target.ownOnly && new Set(target.ownOnly);
  for (const path of paths) {
    const file = pathIn(place.directory, path);
    const stats = statsOf(file);
    if (!stats?.isFile()) continue;
    const isPrivate = ownOnly === undefined || ownOnly.has(path);
    const before = modes.get(path);
    const shared = before === undefined ? stats.mode : (before & 0o666) | (stats.mode & 0o111);
    const mode = (isPrivate ? shared & 0o700 : shared) & 0o777;
    if (mode !== (stats.mode & 0o777)) chmodSync(file, mode);
  }
}

function partition<Value>(values: readonly Value[], fits: (value: Value) => boolean): [Value[], Value[]] {
  const [yes, no]: [Value[], Value[]] = [[], []];
  for (const value of values) (fits(value) ? yes : no).push(value);
  return [yes, no];
}
