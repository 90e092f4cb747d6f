import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionFolderName } from '../../base/index.ts';
import { type Blob, type Database, immediate, type SessionFiles } from '../database.ts';

const HAS = 'SELECT 1 FROM blobs WHERE hash = ?1 FOR KEY SHARE';
// DO UPDATE instead of DO NOTHING, because it waits for a transaction that is deleting the same blob.
const PUT = 'INSERT INTO blobs (hash, bytes) VALUES (?1, ?2) ON CONFLICT (hash) DO UPDATE SET hash = excluded.hash';
const SELECT = `SELECT r.hash, r.media_type AS "mediaType", b.bytes
FROM blob_references r JOIN blobs b ON b.hash = r.hash`;
const FIND = `${SELECT} WHERE r.hash = ?1 LIMIT 1`;
const OF_SESSION = `${SELECT} WHERE r.session_id = ?1 ORDER BY r.hash`;
const REMOVE_UNUSED = 'DELETE FROM blobs b WHERE NOT EXISTS (SELECT 1 FROM blob_references r WHERE r.hash = b.hash)';

export function createSessionFiles({ read, write }: Pick<Database, 'read' | 'write'>): SessionFiles {
  return {
    prepareBlob: async () => undefined,
    // Existing bytes are not sent again.
    *storeBlob(db, { hash, bytes }) {
      if ((yield* db.get(HAS, hash)) === undefined) yield* db.run(PUT, hash, bytes);
    },
    async readBlob(hash) {
      const found = await read((db) => db.get<Blob>(FIND, hash));
      return found && { bytes: found.bytes, mediaType: found.mediaType };
    },
    readBlobs: (db, sessionId) => db.all<Blob>(OF_SESSION, sessionId),
    recordRemoval: () => immediate(() => undefined),
    // Removes only the folders on this machine; those on other machines are not reachable.
    async removeUnused(sessionIds, folders) {
      await write((db) => db.run(REMOVE_UNUSED));
      const names = sessionIds.map((id) => sessionFolderName(id));
      for (const folder of folders) {
        for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
      }
    },
  };
}
