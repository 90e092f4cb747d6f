import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../base/index.ts';

/** A Unix socket path has at most 107 bytes, and a socket in a private folder needs about 50 of them. */
const MAX_PARENT_BYTES = 55;

/**
 * Creates a private folder in `TMPDIR`, or elsewhere if that does not work or its path is too long for a socket in
 * the new folder.
 */
export function makeTemporaryFolder(prefix: string): string {
  const errors: string[] = [];
  for (const parent of [tmpdir(), '/tmp', '/dev/shm', '/var/tmp']) {
    try {
      const path = realpathSync(parent);
      if (Buffer.byteLength(path) <= MAX_PARENT_BYTES) return mkdtempSync(join(path, prefix));
      errors.push(`${path} is too long`);
    } catch (thrown) {
      errors.push(errorMessage(thrown));
    }
  }
  throw new Error(`No temporary folder can be created: ${errors.join('; ')}`);
}
