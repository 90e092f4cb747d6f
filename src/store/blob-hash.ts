import { createHash } from 'node:crypto';

/** The name of a blob, in every store. */
export function blobHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
