import { crc32 } from 'node:zlib';
import { parseJson } from '../../base/index.ts';
import { asObject } from '../json-access.ts';
import type { EventReader, StreamItem } from '../transport/server-events.ts';

/** Total length, length of the headers, and the checksum of both. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const MIN_BYTES = PRELUDE_BYTES + CHECKSUM_BYTES;
/** Size limit for one message; AWS allows 24 MB. */
const MAX_BYTES = 24 * 1024 * 1024;

/** Parses `application/vnd.amazon.eventstream`: binary messages with headers, a payload and two checksums. */
export function createEventStreamReader(): EventReader {
  let chunks: Uint8Array[] = [];
  let size = 0;
  let failed = false;
  return {
    feed(bytes) {
      if (failed) return [];
      chunks.push(bytes);
      size += bytes.byteLength;
      const items: StreamItem[] = [];
      let buffer = joinIfNeeded();
      for (;;) {
        const message = buffer && takeMessage(buffer);
        if (message === undefined || buffer === undefined) break;
        items.push(message.item);
        failed = 'failure' in message.item;
        if (failed) break;
        buffer = buffer.subarray(message.length);
      }
      if (buffer !== undefined) [chunks, size] = [[buffer], buffer.byteLength];
      return items;
    },
    // A message without its end was truncated, and the decoder reports the truncation.
    end: () => [],
  };

  /** All bytes so far; undefined until the next message can be complete, so that parts are not copied again and again. */
  function joinIfNeeded(): Buffer | undefined {
    if (size < PRELUDE_BYTES) return undefined;
    const first = chunks[0] as Uint8Array;
    if (first.byteLength < PRELUDE_BYTES) chunks = [Buffer.concat(chunks)];
    const head = Buffer.from((chunks[0] as Uint8Array).buffer, (chunks[0] as Uint8Array).byteOffset, PRELUDE_BYTES);
    const wanted = head.readUInt32BE(0);
    return size < wanted && wanted <= MAX_BYTES ? undefined : Buffer.concat(chunks);
  }
}

type Message = { item: StreamItem; length: number };

/** The first message of a buffer; undefined if it is not complete. */
function takeMessage(buffer: Buffer): Message | undefined {
  if (buffer.byteLength < PRELUDE_BYTES) return undefined;
  const [length, headerLength] = [buffer.readUInt32BE(0), buffer.readUInt32BE(4)];
  const isPossible = length >= MIN_BYTES && length <= MAX_BYTES && headerLength <= length - MIN_BYTES;
  if (!isPossible || crc32(buffer.subarray(0, 8)) !== buffer.readUInt32BE(8)) return broken('a message is damaged');
  if (buffer.byteLength < length) return undefined;
  const end = length - CHECKSUM_BYTES;
  if (crc32(buffer.subarray(0, end)) !== buffer.readUInt32BE(end)) return broken('a checksum is wrong');
  const headers = readHeaders(buffer.subarray(PRELUDE_BYTES, PRELUDE_BYTES + headerLength));
  if (headers === undefined) return broken('the headers of a message are damaged');
  return { item: toItem(headers, buffer.subarray(PRELUDE_BYTES + headerLength, end).toString('utf8')), length };
}

/** The sizes of header values by type; those of type 6 and 7 are preceded by their length. */
const VALUE_SIZES = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16] as const;
const STRING_TYPE = 7;

/** The headers that are strings; undefined if the bytes are not headers. */
function readHeaders(bytes: Buffer): Map<string, string> | undefined {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.byteLength) {
    const nameEnd = at + 1 + (bytes[at] as number);
    const type = bytes[nameEnd];
    if (type === undefined || type >= VALUE_SIZES.length) return undefined;
    const fixed = VALUE_SIZES[type];
    const start = nameEnd + 1 + (fixed === undefined ? 2 : 0);
    if (start > bytes.byteLength) return undefined;
    const end = start + (fixed ?? bytes.readUInt16BE(nameEnd + 1));
    if (end > bytes.byteLength) return undefined;
    if (type === STRING_TYPE) headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', start, end));
    at = end;
  }
  return headers;
}

/** The payload as an event, with the name of the event as its type. Errors are events of the type `error`. */
function toItem(headers: Map<string, string>, payload: string): StreamItem {
  const kind = headers.get(':message-type');
  if (kind === 'error') {
    const error = { type: headers.get(':error-code') ?? 'error', message: headers.get(':error-message') ?? '' };
    return { event: { type: 'error', error } };
  }
  const body = asObject(parseJson(payload === '' ? '{}' : payload));
  if (body === undefined) return broken('an event is not a JSON object').item;
  if (kind === 'exception') {
    return { event: { type: 'error', error: { type: headers.get(':exception-type') ?? 'exception', ...body } } };
  }
  return { event: { ...body, type: headers.get(':event-type') ?? '' } };
}

function broken(what: string): Message {
  return { item: { failure: { kind: 'invalid_response', message: `The stream is invalid: ${what}` } }, length: 0 };
}
