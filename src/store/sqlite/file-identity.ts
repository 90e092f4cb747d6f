import { readdirSync, readlinkSync, statSync, type Stats } from 'node:fs';
import { StoreReplaced } from '../../base/index.ts';

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
    if (found?.ino !== opened.ino || found.dev !== opened.dev) throw new StoreReplaced(file, locate(opened));
  };
}

const OPEN_FILES = '/proc/self/fd';
const DELETED = ' (deleted)';

/** The current path of a file that this process has open. The kernel knows it on Linux only. */
function locate(opened: Stats): { movedTo: string } | 'deleted' | 'replaced' {
  try {
    for (const name of readdirSync(OPEN_FILES)) {
      const link = `${OPEN_FILES}/${name}`;
      const found = statSync(link, { throwIfNoEntry: false });
      if (found?.ino !== opened.ino || found.dev !== opened.dev) continue;
      const path = readlinkSync(link);
      return path.endsWith(DELETED) ? 'deleted' : { movedTo: path };
    }
  } catch {
    // Not on Linux.
  }
  return 'replaced';
}
