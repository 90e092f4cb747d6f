import { open, type FileHandle } from 'node:fs/promises';
import { HermesError } from '../base/index.ts';
import { fileErrorReason, LockTimeout, withFileLock } from '../util/index.ts';
import { toJsonLine } from './spaced-json.ts';

/** Others may have many lines to write. */
const LOCK_WAIT_MS = 60_000;
const LINE_END = 10;

/**
 * Writes a line behind those of a file that other processes write to at the same time. It is in the file, whole, when the
 * promise resolves; on an error nothing of it is.
 */
export async function appendLine(file: string, value: object): Promise<void> {
  const line = toJsonLine(value);
  try {
    await withFileLock(`${file}.lock`, () => appendWholeLine(file, line), { timeoutMs: LOCK_WAIT_MS });
  } catch (thrown) {
    const reason = thrown instanceof LockTimeout ? 'another program has it locked' : fileErrorReason(thrown);
    throw new HermesError(`Nothing was written to ${file}: ${reason}.`, {
      hint: 'Make room or give rights there, or name another file.',
      cause: thrown,
    });
  }
}

/** The same where no other process writes to the file, and without words of ours about what goes wrong. */
export async function appendWholeLine(file: string, line: string): Promise<void> {
  const handle = await open(file, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    // A process that was killed in the middle of its line left no end: what comes now must not become part of it.
    if (size > 0 && (await lastByte(handle, size)) !== LINE_END) await handle.writeFile('\n');
    try {
      await handle.writeFile(`${line}\n`);
    } catch (thrown) {
      // A full disk takes a part of it.
      await handle.truncate(size).catch(() => undefined);
      throw thrown;
    }
  } finally {
    await handle.close();
  }
}

async function lastByte(handle: FileHandle, size: number): Promise<number | undefined> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0];
}
