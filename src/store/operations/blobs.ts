import { createHash } from 'node:crypto';
import type { BlobReference, SessionBlobs } from '../../contracts/index.ts';
import { type Blob, BUDGET_MS, type Database, type Transaction, type Work } from '../database.ts';
import { unknownSession } from './session-errors.ts';

const ADD_REFERENCE = `INSERT INTO blob_references (session_id, hash, media_type) VALUES (?1, ?2, ?3)
ON CONFLICT (session_id, hash) DO UPDATE SET media_type = excluded.media_type`;

/** The name of a blob in every store. */
export function blobHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function createBlobs(database: Database): SessionBlobs {
  return {
    putBlob: (sessionId, bytes, mediaType) => putBlob(database, sessionId, bytes, mediaType),
    getBlob: (hash) => database.files.readBlob(hash),
  };
}

async function putBlob(
  database: Database,
  sessionId: string,
  bytes: Uint8Array,
  mediaType: string,
): Promise<BlobReference> {
  const blob: Blob = { hash: blobHash(bytes), mediaType, bytes };
  await database.files.prepareBlob(blob);
  try {
    await database.write((db) => addBlobReference(db, sessionId, blob), BUDGET_MS.messages);
  } catch (thrown) {
    throw database.isMissingReference(thrown) ? unknownSession(sessionId, database.location) : thrown;
  }
  return { hash: blob.hash, mediaType, size: bytes.byteLength };
}

export function* addBlobReference(db: Transaction, sessionId: string, blob: Blob): Work<void> {
  yield* db.files.storeBlob(db, blob);
  yield* db.run(ADD_REFERENCE, sessionId, blob.hash, blob.mediaType);
}
