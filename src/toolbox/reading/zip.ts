import { inflateRaw } from 'node:zlib';
import { UnreadableDocument } from './document.ts';

/** Limit of all decompressed parts together, because of decompression bombs. */
const MAX_UNPACKED = 100 * 1024 * 1024;
const MAX_ENTRIES = 20_000;
const END_RECORD = 22;
const MAX_COMMENT_LENGTH = 65_535;

type Entry = { method: number; packedSize: number; offset: number; encrypted: boolean };

/** A zip file whose parts are decompressed on demand. */
export interface ZipFile {
  readonly names: readonly string[];
  /** Undefined if the part does not exist. */
  read(name: string): Promise<string | undefined>;
}

/** Reads the central directory of a zip file. */
export function openZip(bytes: Uint8Array): ZipFile {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = readEntries(view, bytes);
  let room = MAX_UNPACKED;

  async function read(name: string): Promise<string | undefined> {
    const entry = entries.get(name);
    if (!entry) return undefined;
    if (entry.encrypted) throw new UnreadableDocument('it is encrypted');
    const start = dataStart(view, entry);
    const packed = bytes.subarray(start, start + entry.packedSize);
    const content = entry.method === 0 ? packed : await inflate(packed, entry.method, room);
    room -= content.length;
    if (room <= 0) throw new UnreadableDocument(`it unpacks to more than ${MAX_UNPACKED} bytes`);
    return new TextDecoder().decode(content);
  }

  return { names: [...entries.keys()], read: (name) => wrapZipErrors(() => read(name)) };
}

function readEntries(view: DataView, bytes: Uint8Array): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  try {
    const end = findEndRecord(view);
    const count = Math.min(view.getUint16(end + 10, true), MAX_ENTRIES);
    let position = view.getUint32(end + 16, true);
    for (let index = 0; index < count; index++) {
      if (view.getUint32(position, true) !== 0x02014b50) throw new RangeError('no entry');
      const nameLength = view.getUint16(position + 28, true);
      const name = new TextDecoder().decode(bytes.subarray(position + 46, position + 46 + nameLength));
      entries.set(name, {
        encrypted: (view.getUint16(position + 8, true) & 1) === 1,
        method: view.getUint16(position + 10, true),
        packedSize: view.getUint32(position + 20, true),
        offset: view.getUint32(position + 42, true),
      });
      position += 46 + nameLength + view.getUint16(position + 30, true) + view.getUint16(position + 32, true);
    }
  } catch (thrown) {
    throw asUnreadable(thrown);
  }
  return entries;
}

/** Finds the end-of-central-directory record, which is followed by a comment of unknown length. */
function findEndRecord(view: DataView): number {
  const lowest = Math.max(view.byteLength - END_RECORD - MAX_COMMENT_LENGTH, 0);
  for (let index = view.byteLength - END_RECORD; index >= lowest; index--) {
    if (view.getUint32(index, true) === 0x06054b50) return index;
  }
  throw new UnreadableDocument('it is not a valid zip file, which this format requires');
}

/** The offset of the data after the local header, whose fields may differ in length from the central directory. */
function dataStart(view: DataView, { offset }: Entry): number {
  return offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
}

function inflate(packed: Uint8Array, method: number, maxOutputLength: number): Promise<Uint8Array> {
  if (method !== 8) throw new UnreadableDocument('its compression method is not supported');
  return new Promise((resolve, reject) => {
    inflateRaw(packed, { maxOutputLength: Math.max(maxOutputLength, 1) }, (error, content) => {
      if (error) reject(error);
      else resolve(content);
    });
  });
}

async function wrapZipErrors<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (thrown) {
    throw asUnreadable(thrown);
  }
}

function asUnreadable(thrown: unknown): UnreadableDocument {
  if (thrown instanceof UnreadableDocument) return thrown;
  const tooLarge = (thrown as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
  return new UnreadableDocument(tooLarge ? `it unpacks to more than ${MAX_UNPACKED} bytes` : 'its zip data is damaged');
}
