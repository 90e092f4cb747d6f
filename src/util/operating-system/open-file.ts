import { readdirSync, readlinkSync, statSync, type Stats } from 'node:fs';
import { hasLinuxFacilities } from './facts.ts';

const OPEN_FILES = '/proc/self/fd';
const DELETED = ' (deleted)';

/** Where a file that this process has open is now; undefined if the system does not say that. */
export function locateOpenFile(opened: Stats): { movedTo: string } | 'deleted' | undefined {
  try {
    for (const name of hasLinuxFacilities() ? readdirSync(OPEN_FILES) : []) {
      const link = `${OPEN_FILES}/${name}`;
      const found = statSync(link, { throwIfNoEntry: false });
      if (found?.ino !== opened.ino || found.dev !== opened.dev) continue;
      const path = readlinkSync(link);
      return path.endsWith(DELETED) ? 'deleted' : { movedTo: path };
    }
  } catch {
    // /proc is not mounted.
  }
  return undefined;
}
