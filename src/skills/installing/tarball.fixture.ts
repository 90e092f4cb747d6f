import { gzipSync } from 'node:zlib';

export type TarEntry = { path: string; content?: string; type?: string; size?: string };

/** A tarball in npm's format; each field can be replaced by an invalid value. */
export function tarball(entries: readonly TarEntry[], end = Buffer.alloc(1024)): Buffer {
  return gzipSync(Buffer.concat([...entries.map(entryBytes), end]));
}

function entryBytes({ path, content = '', type = '0', size }: TarEntry): Buffer {
  const body = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(path.slice(0, 100), 0);
  header.write('0000644\0', 100);
  header.write(size ?? `${body.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\0', 257);
  header.write('00', 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}
