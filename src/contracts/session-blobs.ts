/** Images and other bytes, kept once however many sessions refer to them. */
export interface SessionBlobs {
  putBlob(sessionId: string, bytes: Uint8Array, mediaType: string): Promise<BlobReference>;
  getBlob(hash: string): Promise<{ bytes: Uint8Array; mediaType: string } | undefined>;
}

/** Stands in a message for the bytes themselves. */
export type BlobReference = {
  /** SHA-256 in hexadecimal digits. */
  hash: string;
  mediaType: string;
  size: number;
};
