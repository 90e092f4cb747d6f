import { accessSync, constants, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** A Unix socket path has at most 107 bytes, and a socket in a private folder needs about 50 of them. */
const MAX_FOLDER_BYTES = 55;

/** `TMPDIR`, or another folder if that cannot be used or its path is too long for a socket in a private folder. */
export function usableTemporaryFolder(): string {
  const usable = [tmpdir(), '/tmp', '/dev/shm', '/var/tmp'].flatMap((folder) => {
    try {
      const path = realpathSync(folder);
      accessSync(path, constants.W_OK);
      return Buffer.byteLength(path) <= MAX_FOLDER_BYTES ? [path] : [];
    } catch {
      return [];
    }
  });
  return usable[0] ?? tmpdir();
}
