import { chmodSync, statSync } from 'node:fs';
import { errorMessage } from '../../../base/index.ts';
import { rebuildSearchIndex } from '../../../store/sqlite/index.ts';
import { ensurePrivateFolder } from '../../../util/index.ts';
import type { Fix } from './finding.ts';

export type Mended = Fix & { done: boolean; message: string };

/** Does what was found to be safe, one after the other; what fails is told and does not keep the rest from being done. */
export async function mend(fixes: readonly Fix[], signal: AbortSignal): Promise<Mended[]> {
  const mended: Mended[] = [];
  for (const fix of fixes) {
    signal.throwIfAborted();
    try {
      mended.push({ ...fix, done: true, message: await ACTIONS[fix.action](fix.path, signal) });
    } catch (thrown) {
      signal.throwIfAborted();
      mended.push({ ...fix, done: false, message: `${describeFix(fix)}: ${errorMessage(thrown)}` });
    }
  }
  return mended;
}

/** As something that is about to be done. */
export function describeFix({ action, path }: Fix): string {
  switch (action) {
    case 'make-private':
      return `take the rights of others at ${path}`;
    case 'make-folder':
      return `make the folder ${path}`;
    case 'rebuild-search-index':
      return `build the search index of ${path} anew`;
  }
}

const ACTIONS: Readonly<Record<Fix['action'], (path: string, signal: AbortSignal) => Promise<string>>> = {
  async 'make-private'(path) {
    chmodSync(path, statSync(path).mode & 0o700);
    return `Others have no rights at ${path} any more.`;
  },
  async 'make-folder'(path) {
    await ensurePrivateFolder(path);
    return `Made the folder ${path}.`;
  },
  'rebuild-search-index': async (path, signal) => (await rebuildSearchIndex(path, { signal })).note,
};
