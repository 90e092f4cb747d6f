import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage } from '../base/index.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'you may not, as its rights are set',
  EPERM: 'the system does not allow it',
  EROFS: 'it lies on a disk that cannot be written',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your share of the disk is used up',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
  EEXIST: 'there is a file of this name in the way',
  ENOTEMPTY: 'the folder is not empty',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EBUSY: 'another program uses it',
  EIO: 'the disk does not answer as it should',
};

/** Why something could not be done with a file, in words that end a sentence; any other error says it itself. */
export function fileErrorReason(thrown: unknown): string {
  const code = codeOf(thrown as NodeJS.ErrnoException | undefined);
  return (typeof code === 'string' ? REASONS[code] : undefined) ?? errorMessage(thrown);
}

/**
 * Where a folder cannot be made with all that is missing above it, Node says that there is none, whatever the reason was.
 * The nearest folder that is there knows better.
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

/** The file that the system could not work with, and why; undefined for any other error. */
export function asFileError(thrown: unknown): { path: string; reason: string } | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { syscall, path } = thrown as NodeJS.ErrnoException;
  const reason = REASONS[codeOf(thrown) ?? ''];
  return syscall === undefined || path === undefined || reason === undefined ? undefined : { path, reason };
}
