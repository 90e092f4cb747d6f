import { basename, dirname, join } from 'node:path';
import { errorMessage, newId, sessionFolderName } from '../base/index.ts';
import type { ToolContext } from '../contracts/index.ts';
import { ensurePrivateFolder, writeFileAtomic } from '../util/index.ts';

const OUTSIDE = 'outside';
const RESULT = 'result';

/** A name that no other result has and that says nothing about what is in it, in a folder that goes with its session. */
export function newSpillFile(folder: string, sessionId: string, outside = false): string {
  const own = sessionId === '' ? folder : join(folder, sessionFolderName(sessionId));
  return join(own, `${newId(outside ? OUTSIDE : RESULT)}.txt`);
}

/** Whether a path is the spill file of text from outside, which stays that when it is read in parts. */
export function isOutsideSpill(path: string, folder: string | undefined): boolean {
  return folder !== undefined && path.startsWith(folder) && basename(path).startsWith(OUTSIDE);
}

/** Keeps the whole of what is shown in part, and says where. A full disk must not cost the model its result. */
export async function keepWhole(
  whole: string | Uint8Array,
  { spillFile, logger }: Pick<ToolContext, 'spillFile' | 'logger'>,
  extension = 'txt',
): Promise<string | undefined> {
  const file = spillFile()?.replace(/\.txt$/, `.${extension}`);
  if (file === undefined) return undefined;
  try {
    await ensurePrivateFolder(dirname(file));
    await writeFileAtomic(file, whole, { mode: 0o600 });
    return file;
  } catch (thrown) {
    logger.warn('the whole of a result could not be saved', { file, error: errorMessage(thrown) });
    return undefined;
  }
}

/** In words for the model. */
export function whereWhole(file: string | undefined): string {
  return file === undefined ? 'The whole was not kept.' : `The whole is in ${file}; read parts of it with read_file.`;
}
