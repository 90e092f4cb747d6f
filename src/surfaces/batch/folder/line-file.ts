import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { readLines } from '../../../util/index.ts';

const LINE_END = 10;
/** Lines of a result may be long; this is only there so that no file whatever can fill the memory. */
const LONGEST_BYTES = 512 * 1024 * 1024;
const BLOCK_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/** Cuts off what a process that was killed left of its last line. True where there was something. */
export async function cutTornLine(file: string): Promise<boolean> {
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    const end = await findLastEnd(handle, size);
    if (end === size) return false;
    await handle.truncate(end);
    return true;
  } finally {
    await handle.close();
  }
}

/** The place behind the last line end. */
async function findLastEnd(handle: Awaited<ReturnType<typeof open>>, size: number): Promise<number> {
  const block = Buffer.alloc(BLOCK_BYTES);
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - BLOCK_BYTES);
    const { bytesRead } = await handle.read(block, 0, end - from, from);
    const found = block.subarray(0, bytesRead).lastIndexOf(LINE_END);
    if (found >= 0) return from + found + 1;
    end = from;
  }
  return 0;
}

/** The lines of a file; none where it is not there. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  try {
    for await (const { bytes = NOTHING } of readLines(createReadStream(file), LONGEST_BYTES)) {
      if (bytes.length > 0) yield bytes.toString('utf8');
    }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  }
}
