/** How far into a file a NUL byte is looked for. */
export const BINARY_PROBE = 8192;

/** Text has no NUL bytes, and nearly everything else has one early on. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_PROBE).includes(0);
}

/** The encoding that a byte order mark announces; undefined without one. UTF-8 with a mark is plain UTF-8 here. */
export function announcedEncoding(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : undefined;
}

export function isPdf(head: Uint8Array): boolean {
  return new TextDecoder('latin1').decode(head.subarray(0, 5)) === '%PDF-';
}

/** PDF files may be without a NUL byte for long, and are no text all the same. */
export function looksBinary(head: Uint8Array): boolean {
  return isPdf(head) || (isBinary(head) && announcedEncoding(head) === undefined);
}

export type DecodedText = { text: string; valid: boolean };

/** UTF-8 as far as it is; what is not becomes the replacement character. */
export function decodeUtf8(bytes: Uint8Array): DecodedText {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), valid: true };
  } catch {
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), valid: false };
  }
}
