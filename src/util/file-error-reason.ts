import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage } from '../base/index.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'disk quota exceeded',
  EISDIR: 'it is a directory',
  ENOTDIR: 'part of its path is not a directory',
  EEXIST: 'a file with this name already exists',
  ENOTEMPTY: 'the directory is not empty',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EBUSY: 'it is in use by another program',
  EIO: 'input/output error',
};

/** Why a file operation failed, phrased to end a sentence; the message of any other error. */
export function fileErrorReason(thrown: unknown): string {
  const code = codeOf(thrown as NodeJS.ErrnoException | undefined);
  return (typeof code === 'string' ? REASONS[code] : undefined) ?? errorMessage(thrown);
}

/**
 * If a recursive mkdir fails, Node reports ENOENT whatever the cause was. Checking the nearest existing parent finds
 * the actual cause.
 */
function codeOf(thrown: NodeJS.ErrnoException | undefined): string | undefined {
  const { code, syscall, path } = thrown ?? {};
  if (code !== 'ENOENT' || syscall !== 'mkdir' || path === undefined) return code;
  let there = dirname(path);
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  try {
    accessSync(there, constants.W_OK);
    return code;
  } catch (refused) {
    return (refused as NodeJS.ErrnoException).code;
  }
}

/** The path and reason of a file system error; undefined for any other error. */
export function asFileError(thrown: unknown): { path: string; reason: string } | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { syscall, path } = thrown as NodeJS.ErrnoException;
  const reason = REASONS[codeOf(thrown) ?? ''];
  return syscall === undefined || path === undefined || reason === undefined ? undefined : { path, reason };
}
