import { statSync } from 'node:fs';
import { StoreReplaced } from '../../base/index.ts';
import { locateOpenFile } from '../../util/index.ts';

/**
 * Returns a function that throws if the file at this path is not the same file as now. SQLite continues to
 * write to a file that was moved or deleted, so without this check a turn would complete and its messages would be
 * lost. The check costs one `stat`.
 */
export function createFileCheck(file: string): () => void {
  if (file === ':memory:') return () => undefined;
  const opened = statSync(file, { throwIfNoEntry: false });
  if (opened === undefined) throw new StoreReplaced(file, 'deleted');
  return () => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.ino !== opened.ino || found.dev !== opened.dev)
      throw new StoreReplaced(file, locateOpenFile(opened) ?? 'replaced');
  };
}
