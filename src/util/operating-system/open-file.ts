import { readdirSync, readlinkSync, statSync, type Stats } from 'node:fs';
import { hasLinuxFacilities } from './facts.ts';

const OPEN_FILES = '/proc/self/fd';
const DELETED = ' (deleted)';

/** The current path of a file that this process has open. Only Linux tells it to the process itself. */
export function locateOpenFile(opened: Stats): { path: string } | 'deleted' | 'unknown' {
  try {
    for (const name of hasLinuxFacilities() ? readdirSync(OPEN_FILES) : []) {
      const link = `${OPEN_FILES}/${name}`;
      const found = statSync(link, { throwIfNoEntry: false });
      if (found?.ino !== opened.ino || found.dev !== opened.dev) continue;
      const path = readlinkSync(link);
      return path.endsWith(DELETED) ? 'deleted' : { path };
    }
  } catch {
    // /proc is not mounted.
  }
  return 'unknown';
}
