import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorMessage, HermesError } from '../../base/index.ts';
import type { BlobReference, SessionBlobs } from '../../contracts/index.ts';
import { ensurePrivateFolder, writeFileAtomic } from '../../util/index.ts';
import type { Connection } from './connection.ts';
import { isMissingReference } from './database-error.ts';
import { blobHash } from '../blob-hash.ts';
import { unknownSession } from '../session-errors.ts';

const REFER = `INSERT INTO blob_references (session_id, hash, media_type) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET media_type = excluded.media_type`;
const FIND = 'SELECT media_type AS mediaType FROM blob_references WHERE hash = ? LIMIT 1';
const HASH = /^[0-9a-f]{64}$/;

/**
 * Blobs are files beside the database, named by their hash: bytes of any size would slow everything else in it. Each
 * database has a folder of its own, because only it knows which of them are still in use.
 */
export function blobFolder(databaseFile: string): string {
  return `${databaseFile}.blobs`;
}

export function createBlobs(connection: Connection): SessionBlobs {
  return {
    putBlob: (sessionId, bytes, mediaType) => putBlob(connection, sessionId, bytes, mediaType),
    async getBlob(hash) {
      const found = await connection.read(() => connection.get(FIND, hash) as { mediaType: string } | undefined);
      if (found === undefined || !HASH.test(hash)) return undefined;
      const bytes = await readFile(blobPath(connection, hash)).catch(() => undefined);
      return bytes && { bytes, mediaType: found.mediaType };
    },
  };
}

async function putBlob(
  connection: Connection,
  sessionId: string,
  bytes: Uint8Array,
  mediaType: string,
): Promise<BlobReference> {
  const hash = blobHash(bytes);
  const file = blobPath(connection, hash);
  if (!existsSync(file)) await writeBlob(file, bytes);
  try {
    await connection.write(() => referToBlob(connection, sessionId, { hash, mediaType, bytes }));
  } catch (thrown) {
    throw isMissingReference(thrown) ? unknownSession(sessionId, connection.file) : thrown;
  }
  return { hash, mediaType, size: bytes.byteLength };
}

async function writeBlob(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await ensurePrivateFolder(dirname(file));
    await writeFileAtomic(file, bytes, { mode: 0o600 });
  } catch (thrown) {
    throw new HermesError(`A file of the session cannot be kept in ${dirname(file)}: ${errorMessage(thrown)}.`, {
      hint: 'Make sure that there is room on the disk and that you may write there, then try again.',
      cause: thrown,
    });
  }
}

/** Inside a transaction: whoever takes blobs away holds the same lock, so the file is there when it ends. */
export function referToBlob(
  connection: Connection,
  sessionId: string,
  blob: { hash: string; mediaType: string; bytes: Uint8Array },
): void {
  connection.run(REFER, sessionId, blob.hash, blob.mediaType);
  const file = blobPath(connection, blob.hash);
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, blob.bytes, { mode: 0o600 });
}

/** Inside a transaction: removes files that no session refers to any more, those of other programs' deletions too. */
export function removeUnusedBlobs(connection: Connection): void {
  const root = blobFolder(connection.file);
  for (const folder of foldersIn(root)) {
    for (const name of readdirSync(join(root, folder))) {
      if (HASH.test(name) && connection.get(FIND, name) === undefined)
        rmSync(join(root, folder, name), { force: true });
    }
  }
}

/** Two levels, because some file systems are slow with many files in one folder. */
export function blobPath(connection: Connection, hash: string): string {
  return join(blobFolder(connection.file), hash.slice(0, 2), hash);
}

function foldersIn(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root).filter((name) => /^[0-9a-f]{2}$/.test(name));
}
