/** How many bytes are checked for NUL. */
export const BINARY_PROBE = 8192;

/** Whether the first bytes contain a NUL. Text contains none, and most binary formats contain one early. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_PROBE).includes(0);
}

/**
 * The UTF-16 variant that a byte order mark indicates; undefined otherwise. UTF-8 with a byte order mark is treated
 * as UTF-8.
 */
export function announcedEncoding(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : undefined;
}

export function isPdf(head: Uint8Array): boolean {
  return new TextDecoder('latin1').decode(head.subarray(0, 5)) === '%PDF-';
}

/** PDF files may have no NUL byte near the start but are binary. */
export function looksBinary(head: Uint8Array): boolean {
  return isPdf(head) || (isBinary(head) && announcedEncoding(head) === undefined);
}

export type DecodedText = { text: string; valid: boolean };

/** Decodes UTF-8; invalid bytes become replacement characters. */
export function decodeUtf8(bytes: Uint8Array): DecodedText {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), valid: true };
  } catch {
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), valid: false };
  }
}
