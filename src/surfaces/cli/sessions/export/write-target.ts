import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ConfigurationError, HermesError } from '../../../../base/index.ts';
import { fileErrorReason } from '../../../../util/index.ts';
import type { OutputStream } from '../../cli-io.ts';

type Pieces = AsyncIterable<string>;

/** Small pieces are buffered up to this size before they are written. */
const BUFFER_SIZE = 64 * 1024;

/**
 * Writes a new file under a temporary name and renames it when it is complete, so that a partial export is never
 * mistaken for a complete one. Devices and pipes are written directly.
 */
export async function writeNewFile(file: string, pieces: Pieces): Promise<void> {
  const isFree = await checkTarget(file);
  try {
    if (isFree) await writeAndRename(file, pieces);
    else await writeInto(file, 'w', pieces);
  } catch (thrown) {
    throw asUnwritable(thrown, file);
  }
}

/** Waits for slow readers, so that little is buffered in memory. */
export async function writeStream(stream: OutputStream, pieces: Pieces): Promise<void> {
  for await (const piece of bufferPieces(pieces)) await new Promise<void>((done) => stream.write(piece, () => done()));
}

async function writeAndRename(file: string, pieces: Pieces): Promise<void> {
  const unfinished = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.part`);
  // The `finally` block below does not run if a signal ends the process.
  const tidyUp = () => rmSync(unfinished, { force: true });
  process.once('exit', tidyUp);
  try {
    await writeInto(unfinished, 'wx', pieces);
    await renameNew(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
    process.off('exit', tidyUp);
  }
}

/** Uses a hard link instead of a rename, because it fails if the target exists by now. */
async function renameNew(unfinished: string, file: string): Promise<void> {
  try {
    await link(unfinished, file);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') throw thrown;
    // Some file systems do not support hard links.
    await rename(unfinished, file);
  }
}

async function writeInto(file: string, flags: 'w' | 'wx', pieces: Pieces): Promise<void> {
  // Readable only by the user, like the sessions themselves.
  const handle = await open(file, flags, 0o600);
  try {
    for await (const piece of bufferPieces(pieces)) await handle.writeFile(piece);
    if (flags === 'wx') await handle.sync();
  } finally {
    await handle.close();
  }
}

async function* bufferPieces(pieces: Pieces): AsyncGenerator<string> {
  let waiting = '';
  for await (const piece of pieces) {
    waiting += piece;
    if (waiting.length < BUFFER_SIZE) continue;
    yield waiting;
    waiting = '';
  }
  if (waiting !== '') yield waiting;
}

/**
 * Refuses to overwrite files, because a mistyped name could be that of the database. Returns false for a device or a
 * pipe.
 */
async function checkTarget(file: string): Promise<boolean> {
  const stats = await stat(file).catch(() => undefined);
  if (stats?.isFile() || stats?.isDirectory()) throw exists(file);
  return stats === undefined;
}

function exists(file: string): ConfigurationError {
  return new ConfigurationError(`${file} already exists; nothing was written.`, { hint: 'Choose another name.' });
}

function asUnwritable(thrown: unknown, file: string): unknown {
  if (thrown instanceof HermesError) return thrown;
  const { code, syscall } = thrown as NodeJS.ErrnoException;
  if (code === 'EEXIST' && syscall === 'link') return exists(file);
  return new HermesError(`Cannot write ${file}: ${fileErrorReason(thrown)}.`, {
    hint: 'Choose an existing folder that you can write to, with enough free space.',
    cause: thrown,
  });
}
