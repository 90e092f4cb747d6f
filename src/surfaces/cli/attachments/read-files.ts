import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { ATTACHMENT_LIMITS, assertAttachable } from '../../../agent/index.ts';
import { type AttachedFile, ConfigurationError, errorMessage, HermesError } from '../../../base/index.ts';
import { fileType, nameOfOtherType } from '../../../util/index.ts';
import { formatBytes } from '../sessions/format-bytes.ts';

const TAKEN = 'PNG, JPEG, GIF and WebP images and PDF files can be attached.';

/** The files of the command line, all or none: a request without one of them would be about something else. */
export async function readFiles(paths: readonly string[], folder: string): Promise<AttachedFile[]> {
  const files: AttachedFile[] = [];
  for (const path of paths) files.push(await readAttachment(resolve(folder, path)));
  try {
    assertAttachable(files);
  } catch (thrown) {
    // Nothing has begun yet, so this is wrong usage and no failed turn.
    if (!(thrown instanceof HermesError)) throw thrown;
    throw new ConfigurationError(thrown.message, { hint: thrown.hint });
  }
  return files;
}

/** One file, looked at before it is taken: a regular file of the right size, and by its bytes something models read. */
export async function readAttachment(path: string): Promise<AttachedFile> {
  const handle = await openFile(path);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw refused(path, stats.isDirectory() ? 'it is a folder' : 'it is no regular file');
    if (stats.size === 0) throw refused(path, 'it is empty');
    if (stats.size > ATTACHMENT_LIMITS.bytes) {
      const reason = `it has more than ${formatBytes(ATTACHMENT_LIMITS.bytes)}`;
      throw refused(path, reason, 'Make it smaller first; an image of 2000 pixels a side is as good for a model.');
    }
    const bytes = await handle.readFile();
    const type = fileType(bytes);
    if (type === undefined) throw refused(path, describeOther(bytes));
    return { ...type, name: basename(path), bytes };
  } catch (thrown) {
    if (thrown instanceof HermesError) throw thrown;
    throw refused(path, errorMessage(thrown));
  } finally {
    await handle.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // Without waiting: a named pipe would wait for a writer for ever.
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw refused(path, 'there is no such file', 'Check the path.');
    if (code === 'EACCES') throw refused(path, 'you may not read it', 'Check its permissions.');
    throw refused(path, errorMessage(thrown));
  }
}

function describeOther(bytes: Uint8Array): string {
  const known = nameOfOtherType(bytes);
  return known === undefined ? 'its content is neither an image nor a PDF file' : `it is ${known}`;
}

function refused(path: string, reason: string, hint = TAKEN): ConfigurationError {
  return new ConfigurationError(`${path} cannot be attached: ${reason}.`, { hint });
}
