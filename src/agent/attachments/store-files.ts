import type { AttachedFile, Attachment } from '../../base/index.ts';
import type { SessionStore } from '../../contracts/index.ts';
import { cleanSurrogates, takeStart } from '../../util/index.ts';

const LONGEST_NAME = 120;

/** Keeps the bytes of files as blobs of a session; what refers to them goes into the message. */
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

/** A name comes from anywhere, and stands in texts of ours and in what is sent: one line, without quotes. */
function cleanName(name: string): string {
  const line = cleanSurrogates(name).replace(/[\p{Cc}\p{Cf}"\s]+/gu, ' ');
  return takeStart(line.trim(), LONGEST_NAME).trim() || 'unnamed';
}
