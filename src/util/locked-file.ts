import { lstat, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigurationError } from '../base/index.ts';
import { ensurePrivateFolder } from './atomic-file.ts';
import { fileErrorReason } from './file-error-reason.ts';
import { describeLockHolder, type FileLockOptions, LockTimeout, withFileLock } from './file-lock.ts';

/**
 * Runs a task that reads, changes and replaces a file, while no other process changes it. Every writer of a file that
 * two processes may change uses this: an atomic write alone loses what another process wrote after the read.
 * The errors say that nothing was changed, so the task must replace the file as its last step.
 */
export async function changeFile<Value>(
  file: string,
  task: () => Promise<Value>,
  options: FileLockOptions = {},
): Promise<Value> {
  try {
    await ensurePrivateFolder(dirname(file));
    return await withFileLock(await lockFileOf(file), task, options);
  } catch (thrown) {
    throw explainFailure(file, thrown);
  }
}

/** The lock is next to the file that is replaced, because several links may lead to it. */
async function lockFileOf(file: string): Promise<string> {
  const isLink = (await lstat(file).catch(() => undefined))?.isSymbolicLink() ?? false;
  const target = isLink ? await realpath(file).catch(() => file) : file;
  return `${target}.lock`;
}

function explainFailure(file: string, thrown: unknown): unknown {
  if (thrown instanceof LockTimeout) {
    return new ConfigurationError(
      `${file} has been locked by ${describeLockHolder(thrown.holder)}. Nothing was changed.`,
      { hint: `Try again in a moment. If that process hangs, end it and delete ${thrown.lockFile}.`, cause: thrown },
    );
  }
  if (typeof (thrown as NodeJS.ErrnoException).code !== 'string') return thrown;
  return new ConfigurationError(`Could not write ${file}: ${fileErrorReason(thrown)}. Nothing was changed.`, {
    hint: 'Check that the file and its directory are writable and that the disk is not full.',
    cause: thrown,
  });
}
