import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../base/index.ts';
import { markFolderOwner, maxSocketPathBytes, memoryFolder, removeAbandonedFolders } from '../../util/index.ts';

/** What the path of a socket in a private folder needs besides the parent folder. */
const SOCKET_NAME_BYTES = 52;

/**
 * Creates a private folder in `TMPDIR`, or elsewhere if that does not work or its path is too long for a socket in
 * the new folder. Folders that killed processes left are removed first.
 */
export function makeTemporaryFolder(prefix: string): string {
  const errors: string[] = [];
  const maxBytes = maxSocketPathBytes() - SOCKET_NAME_BYTES;
  for (const parent of [tmpdir(), '/tmp', memoryFolder() ?? [], '/var/tmp'].flat()) {
    try {
      const path = realpathSync(parent);
      if (Buffer.byteLength(path) <= maxBytes) return makeOwnFolder(path, prefix);
      errors.push(`${path} is too long`);
    } catch (thrown) {
      errors.push(errorMessage(thrown));
    }
  }
  throw new Error(`No temporary folder can be created: ${errors.join('; ')}`);
}

function makeOwnFolder(parent: string, prefix: string): string {
  removeAbandonedFolders(parent, prefix);
  const folder = mkdtempSync(join(parent, prefix));
  markFolderOwner(folder);
  return folder;
}
