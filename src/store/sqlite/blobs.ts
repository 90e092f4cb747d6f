import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorMessage, HermesError, sessionFolderName } from '../../base/index.ts';
import { ensurePrivateFolder, writeFileAtomic } from '../../util/index.ts';
import { type Blob, immediate, type SessionFiles } from '../database.ts';
import type { Connection } from './connection.ts';

const FIND = 'SELECT media_type AS mediaType FROM blob_references WHERE hash = ? LIMIT 1';
const OF_SESSION = 'SELECT hash, media_type AS mediaType FROM blob_references WHERE session_id = ? ORDER BY hash';
const NOTE_REMOVAL = 'INSERT OR IGNORE INTO session_removals (session_id) VALUES (?)';
const REMOVALS = 'SELECT session_id AS id FROM session_removals';
const FORGET_REMOVAL = 'DELETE FROM session_removals WHERE session_id = ?';
const EXISTS = 'SELECT 1 FROM sessions WHERE id = ?';
const HASH = /^[0-9a-f]{64}$/;

export function createSessionFiles(connection: Connection): SessionFiles {
  const pathOf = (hash: string) => blobPath(connection.file, hash);
  return {
    prepareBlob: ({ hash, bytes }) => writeBlob(pathOf(hash), bytes),
    storeBlob: (_, { hash, bytes }) => immediate(() => writeMissing(pathOf(hash), bytes)),
    async readBlob(hash) {
      const found = await connection.read(() => connection.get(FIND, hash) as { mediaType: string } | undefined);
      if (found === undefined || !HASH.test(hash)) return undefined;
      const bytes = await readFile(pathOf(hash)).catch(() => undefined);
      return bytes && { bytes, mediaType: found.mediaType };
    },
    readBlobs: (_, sessionId) => immediate(() => readBlobs(connection, sessionId)),
    recordRemoval: (_, sessionId) => immediate(() => void connection.run(NOTE_REMOVAL, sessionId)),
    removeUnused: (_, folders) => connection.write(() => removeUnused(connection, folders)),
  };
}

async function writeBlob(file: string, bytes: Uint8Array): Promise<void> {
  if (existsSync(file)) return;
  try {
    await ensurePrivateFolder(dirname(file));
    await writeFileAtomic(file, bytes, { mode: 0o600 });
  } catch (thrown) {
    throw new HermesError(`Could not store a file of the session in ${dirname(file)}: ${errorMessage(thrown)}.`, {
      hint: 'Check the free disk space and the permissions, then try again.',
      cause: thrown,
    });
  }
}

/**
 * Writes a blob if it does not exist. Blobs are deleted only under the write lock, which the calling transaction
 * holds, so the file still exists when the transaction ends.
 */
function writeMissing(file: string, bytes: Uint8Array): void {
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, bytes, { mode: 0o600 });
}

function readBlobs(connection: Connection, sessionId: string): Blob[] {
  const references = connection.all(OF_SESSION, sessionId) as Omit<Blob, 'bytes'>[];
  return references.flatMap(({ hash, mediaType }) => {
    try {
      return [{ hash, mediaType, bytes: readFileSync(blobPath(connection.file, hash)) }];
    } catch {
      return [];
    }
  });
}

/**
 * Deletes unused files under the write lock, so that no reference is added to a blob while it is deleted. Also
 * completes removals that a crash interrupted, and deletes blobs of sessions that other programs deleted.
 */
function removeUnused(connection: Connection, folders: readonly string[]): void {
  for (const { id } of connection.all(REMOVALS) as { id: string }[]) {
    // A session that was imported again keeps its files.
    const isBack = connection.get(EXISTS, id) !== undefined;
    for (const folder of isBack ? [] : folders) {
      rmSync(join(folder, sessionFolderName(id)), { recursive: true, force: true });
    }
    connection.run(FORGET_REMOVAL, id);
  }
  const root = blobFolder(connection.file);
  for (const folder of foldersIn(root)) {
    for (const name of readdirSync(join(root, folder))) {
      if (HASH.test(name) && connection.get(FIND, name) === undefined) {
        rmSync(join(root, folder, name), { force: true });
      }
    }
  }
}

/** Two levels, because some file systems are slow with many files in one folder. */
function blobPath(databaseFile: string, hash: string): string {
  return join(blobFolder(databaseFile), hash.slice(0, 2), hash);
}

function foldersIn(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root).filter((name) => /^[0-9a-f]{2}$/.test(name));
}

/**
 * Blobs are files next to the database, named by their hash, because large values would slow down everything else in
 * the database. Each database has its own folder, because only the database knows which blobs are still in use.
 */
function blobFolder(databaseFile: string): string {
  return `${databaseFile}.blobs`;
}
