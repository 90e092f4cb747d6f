import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { assertAttachable } from '../../../agent/index.ts';
import {
  type AttachedFile,
  ATTACHMENT_LIMITS,
  ConfigurationError,
  errorMessage,
  HermesError,
} from '../../../base/index.ts';
import { detectFileType, describeUnsupportedType } from '../../../util/index.ts';
import { formatBytes } from '../sessions/format-bytes.ts';

const SUPPORTED_TYPES = 'Supported attachments: PNG, JPEG, GIF and WebP images, and PDF files.';

/**
 * Reads the attachments of the command line. If one cannot be read, all fail, because the request would be about
 * something else without it.
 */
export async function readFiles(paths: readonly string[], folder: string): Promise<AttachedFile[]> {
  const files: AttachedFile[] = [];
  for (const path of paths) files.push(await readAttachment(resolve(folder, path)));
  try {
    assertAttachable(files);
  } catch (thrown) {
    // No turn was started yet, so this is a usage error.
    if (!(thrown instanceof HermesError)) throw thrown;
    throw new ConfigurationError(thrown.message, { hint: thrown.hint });
  }
  return files;
}

/**
 * Reads one file after checking that it is a regular file within the size limit, and that its content is a supported
 * type.
 */
export async function readAttachment(path: string): Promise<AttachedFile> {
  const handle = await openFile(path);
  try {
    const stats = await handle.stat();
    if (!stats.isFile())
      throw cannotAttach(path, stats.isDirectory() ? 'it is a directory' : 'it is not a regular file');
    if (stats.size === 0) throw cannotAttach(path, 'it is empty');
    if (stats.size > ATTACHMENT_LIMITS.bytes) {
      const reason = `it is larger than ${formatBytes(ATTACHMENT_LIMITS.bytes)}`;
      throw cannotAttach(path, reason, 'Make it smaller; models need no more than 2000 pixels per side.');
    }
    const bytes = await handle.readFile();
    const type = detectFileType(bytes);
    if (type === undefined) throw cannotAttach(path, explainUnsupported(bytes));
    return { ...type, name: basename(path), bytes };
  } catch (thrown) {
    if (thrown instanceof HermesError) throw thrown;
    throw cannotAttach(path, errorMessage(thrown));
  } finally {
    await handle.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // Non-blocking, because opening a named pipe would wait for a writer.
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw cannotAttach(path, 'no such file', 'Check the path.');
    if (code === 'EACCES') throw cannotAttach(path, 'permission denied', 'Check its permissions.');
    throw cannotAttach(path, errorMessage(thrown));
  }
}

function explainUnsupported(bytes: Uint8Array): string {
  const known = describeUnsupportedType(bytes);
  return known === undefined ? 'its content is neither an image nor a PDF file' : `it is ${known}`;
}

function cannotAttach(path: string, reason: string, hint = SUPPORTED_TYPES): ConfigurationError {
  return new ConfigurationError(`Cannot attach ${path}: ${reason}.`, { hint });
}
