import { HermesError } from '../../base/index.ts';

/** One entry of an archive. Its content can be read until the next entry is requested. */
export type TarEntry = {
  path: string;
  type: 'file' | 'folder' | 'link' | 'other';
  size: number;
  mode: number;
  content: AsyncGenerator<Uint8Array>;
};

const BLOCK = 512;
/** Size limit for records that contain the name of the next entry. */
const MAX_RECORD_LENGTH = 1_048_576;

/** Reads the entries of a tar archive in any common format. Throws if it is truncated or invalid. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const input = createInput(source);
  let records: Record<string, string> = {};
  for (;;) {
    const block = await input.block();
    if (block === undefined) throw broken('it is truncated');
    if (block.every((byte) => byte === 0)) return;
    const head = readHeader(block);
    if (head.type === 'x' || head.type === 'g' || head.type === 'L') {
      if (head.size > MAX_RECORD_LENGTH) throw broken('it contains a name that is too long');
      const body = await collect(input.content(head.size));
      if (head.type === 'x') records = readRecords(body.toString());
      if (head.type === 'L') records = { path: cString(body) };
      continue;
    }
    const size = records['size'] === undefined ? head.size : Number(records['size']);
    if (!Number.isSafeInteger(size) || size < 0) throw broken('it contains an entry without a valid size');
    const content = input.content(size);
    yield { path: records['path'] ?? head.path, type: kindOf(head.type), size, mode: head.mode, content };
    // Skip the content that was not read.
    while (!(await content.next()).done);
    records = {};
  }
}

export async function collect(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

function kindOf(type: string): TarEntry['type'] {
  if (type === '0' || type === '\0' || type === '7') return 'file';
  if (type === '1' || type === '2') return 'link';
  return type === '5' ? 'folder' : 'other';
}

function readHeader(block: Buffer): { path: string; size: number; mode: number; type: string } {
  const number = (at: number, length: number) =>
    Number.parseInt(block.toString('latin1', at, at + length).trim() || '0', 8);
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== number(148, 8)) throw broken('it is corrupt or not a tar archive');
  const prefix = block.toString('latin1', 257, 262) === 'ustar' ? cString(block.subarray(345, 500)) : '';
  const name = cString(block.subarray(0, 100));
  return {
    path: prefix === '' ? name : `${prefix}/${name}`,
    size: number(124, 12),
    mode: number(100, 8) & 0o777,
    type: block.toString('latin1', 156, 157),
  };
}

function readRecords(text: string): Record<string, string> {
  const records: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const [, key, value] = /^\d+ ([^=]+)=(.*)$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) records[key] = value;
  }
  return records;
}

/** Splits chunks of any size into tar blocks. */
function createInput(source: AsyncIterable<Uint8Array>) {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const fill = async (): Promise<boolean> => {
    const { value, done } = await chunks.next();
    if (!done) rest = Buffer.concat([rest, value]);
    return !done;
  };
  async function* take(size: number): AsyncGenerator<Uint8Array> {
    for (let left = size; left > 0; ) {
      if (rest.length === 0 && !(await fill())) throw broken('it is truncated');
      const part = rest.subarray(0, left);
      rest = rest.subarray(part.length);
      left -= part.length;
      if (part.length > 0) yield part;
    }
  }
  return {
    async block(): Promise<Buffer | undefined> {
      while (rest.length < BLOCK) if (!(await fill())) return undefined;
      const block = rest.subarray(0, BLOCK);
      rest = rest.subarray(BLOCK);
      return block;
    },
    async *content(size: number): AsyncGenerator<Uint8Array> {
      yield* take(size);
      for await (const _ of take((BLOCK - (size % BLOCK)) % BLOCK));
    },
  };
}

function cString(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString();
}

function broken(what: string): HermesError {
  return new HermesError(`The archive cannot be read: ${what}.`);
}
