import type { AttachedFile, Attachment } from '../../base/index.ts';
import type { SessionStore } from '../../contracts/index.ts';
import { cleanSurrogates, takeStart } from '../../util/index.ts';

const MAX_NAME_LENGTH = 120;

/** Stores the bytes of the files as blobs and returns the attachments that refer to them. */
export async function storeFiles(
  store: Pick<SessionStore, 'putBlob'>,
  sessionId: string,
  files: readonly AttachedFile[],
): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  for (const { kind, mediaType, name, bytes } of files) {
    const { hash, size } = await store.putBlob(sessionId, bytes, mediaType);
    attachments.push({ kind, mediaType, name: cleanName(name), hash, size });
  }
  return attachments;
}

/**
 * File names are untrusted and appear inside quoted lines, so quotes, control characters and line breaks are removed.
 */
function cleanName(name: string): string {
  const line = cleanSurrogates(name).replace(/[\p{Cc}\p{Cf}"\s]+/gu, ' ');
  return takeStart(line.trim(), MAX_NAME_LENGTH).trim() || 'unnamed';
}
