/** A file to be archived. */
export type TarFile = {
  path: string;
  size: number;
  mode: number;
  modifiedAt: number;
  content: AsyncIterable<Uint8Array>;
};

const BLOCK = 512;
const MAX_NAME_LENGTH = 100;
const MAX_SIZE = 0o77777777777;

/** Writes a POSIX tar archive, which every tar can read. Long names and large files get a pax header. */
export async function* writeTar(files: AsyncIterable<TarFile>): AsyncGenerator<Uint8Array> {
  for await (const file of files) {
    const name = Buffer.from(file.path);
    if (name.length > MAX_NAME_LENGTH || file.size > MAX_SIZE) yield* writeRecords(file);
    yield header({ ...file, name: name.subarray(0, MAX_NAME_LENGTH), size: Math.min(file.size, MAX_SIZE), type: '0' });
    yield* exactly(file);
    yield padding(file.size);
  }
  yield Buffer.alloc(BLOCK * 2);
}

/** A file may grow or shrink while it is read; the archive contains exactly the size in the header. */
async function* exactly({ content, size }: TarFile): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const chunk of content) {
    if (left === 0) break;
    const part = chunk.subarray(0, left);
    left -= part.length;
    yield part;
  }
  for (; left > 0; left -= Math.min(left, 65_536)) yield Buffer.alloc(Math.min(left, 65_536));
}

function* writeRecords({ path, size, modifiedAt }: TarFile): Generator<Uint8Array> {
  const body = Buffer.from(record('path', path) + record('size', String(size)));
  yield header({ name: Buffer.from('PaxHeader'), size: body.length, mode: 0o600, modifiedAt, type: 'x' });
  yield body;
  yield padding(body.length);
}

/** `LENGTH KEY=VALUE`, where the length includes its own digits. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  const length = bytes + String(bytes + String(bytes).length).length;
  return `${length}${rest}`;
}

function header(entry: { name: Uint8Array; size: number; mode: number; modifiedAt: number; type: string }): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    block.write(
      `${Math.floor(value)
        .toString(8)
        .padStart(length - 1, '0')}\0`,
      at,
      'latin1',
    );
  block.set(entry.name);
  octal(entry.mode & 0o777, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(entry.size, 124, 12);
  octal(Math.max(0, entry.modifiedAt / 1000), 136, 12);
  block.write('        ', 148, 'latin1');
  block.write(entry.type, 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function padding(size: number): Uint8Array {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}
