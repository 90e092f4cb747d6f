import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { HermesError } from '../base/index.ts';
import { fileErrorReason, LockTimeout, withFileLock } from '../util/index.ts';
import { toJsonLine } from './spaced-json.ts';

/** How long to wait for the lock; other processes may have many lines to write. */
const LOCK_WAIT_MS = 60_000;
const LINE_END = 10;

/**
 * Appends a line to a file that other processes write to concurrently. When the promise resolves, the complete line
 * is in the file; on an error, the file is unchanged. A link is not followed: the file is usually in the working
 * directory, where a command in the sandbox could make it lead to a file outside.
 */
export async function appendLine(file: string, value: object): Promise<void> {
  const line = toJsonLine(value);
  try {
    await withFileLock(`${file}.lock`, () => appendWholeLine(file, line, constants.O_NOFOLLOW), {
      timeoutMs: LOCK_WAIT_MS,
    });
  } catch (thrown) {
    const reason = reasonOf(thrown);
    throw new HermesError(`Nothing was written to ${file}: ${reason}.`, {
      hint: 'Free disk space, check the permissions, or choose another file.',
      cause: thrown,
    });
  }
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof LockTimeout) return 'another process has locked it';
  return (thrown as NodeJS.ErrnoException).code === 'ELOOP' ? 'it is a symbolic link' : fileErrorReason(thrown);
}

/** Appends a line without locking, for files with a single writer. Errors are not wrapped. */
export async function appendWholeLine(file: string, line: string, flags = 0): Promise<void> {
  const handle = await open(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | flags, 0o600);
  try {
    const { size } = await handle.stat();
    // A killed process may have left an incomplete line; end it first.
    if (size > 0 && (await lastByte(handle, size)) !== LINE_END) await handle.writeFile('\n');
    try {
      await handle.writeFile(`${line}\n`);
    } catch (thrown) {
      // Remove the part of the line that was written before the error, for example on a full disk.
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
