import type { BlobReference, SessionBlobs } from '../../contracts/index.ts';
import { blobHash } from '../blob-hash.ts';
import { unknownSession } from '../session-errors.ts';
import type { Connection, Queries } from './connection.ts';
import { BUDGET_MS } from './retry.ts';
import { isMissingReference } from './database-error.ts';

const HAS = 'SELECT 1 FROM blobs WHERE hash = $1 FOR KEY SHARE';
// An update in place of nothing, because that waits for whoever takes the same blob away just now.
const PUT = 'INSERT INTO blobs (hash, bytes) VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET hash = excluded.hash';
const REFER = `INSERT INTO blob_references (session_id, hash, media_type) VALUES ($1, $2, $3)
ON CONFLICT (session_id, hash) DO UPDATE SET media_type = excluded.media_type`;
const FIND = `SELECT b.bytes, r.media_type AS "mediaType" FROM blob_references r JOIN blobs b ON b.hash = r.hash
WHERE r.hash = $1 LIMIT 1`;
const REMOVE_UNUSED = `DELETE FROM blobs b WHERE NOT EXISTS (SELECT 1 FROM blob_references r WHERE r.hash = b.hash)`;

export function createBlobs(connection: Connection): SessionBlobs {
  return {
    putBlob: (sessionId, bytes, mediaType) => putBlob(connection, sessionId, bytes, mediaType),
    getBlob: (hash) => connection.read((db) => db.get<{ bytes: Uint8Array; mediaType: string }>(FIND, hash)),
  };
}

async function putBlob(
  connection: Connection,
  sessionId: string,
  bytes: Uint8Array,
  mediaType: string,
): Promise<BlobReference> {
  const hash = blobHash(bytes);
  try {
    await connection.write((db) => referToBlob(db, sessionId, { hash, mediaType, bytes }), BUDGET_MS.messages);
  } catch (thrown) {
    throw isMissingReference(thrown) ? unknownSession(sessionId, connection.place) : thrown;
  }
  return { hash, mediaType, size: bytes.byteLength };
}

/** Inside a transaction. Bytes that are there already are not sent again. */
export async function referToBlob(
  db: Queries,
  sessionId: string,
  blob: { hash: string; mediaType: string; bytes: Uint8Array },
): Promise<void> {
  if ((await db.get(HAS, blob.hash)) === undefined) await db.run(PUT, blob.hash, blob.bytes);
  await db.run(REFER, sessionId, blob.hash, blob.mediaType);
}

/** Inside a transaction. */
export async function removeUnusedBlobs(db: Queries): Promise<void> {
  await db.run(REMOVE_UNUSED);
}
