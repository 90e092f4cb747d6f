import { join } from 'node:path';
import { errorMessage, newId, sessionFolderName } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';
import { cleanSurrogates, ensurePrivateFolder, splitMiddle, writeFileAtomic } from '../util/index.ts';

const MAX_CHARACTERS = 100_000;
const WINDOW_SHARE = 0.15;
const CHARACTERS_PER_TOKEN = 4;
/** Below this not even the notice and a useful beginning would fit. */
const FLOOR = 2000;
/** Room for the notice inside the limit. */
const NOTICE_ROOM = 400;

/** How long a result may be: 100,000 characters, or 15 % of a window for which that is too much. */
export function resultLimit(options: { maxResultCharacters?: number; contextLength?: number }): number {
  const most = options.maxResultCharacters ?? MAX_CHARACTERS;
  if (options.contextLength === undefined) return most;
  const share = Math.floor(options.contextLength * CHARACTERS_PER_TOKEN * WINDOW_SHARE);
  return Math.min(most, Math.max(FLOOR, share));
}

export type BudgetOptions = { limit: number; spillFolder: string | undefined; logger: Logger };

/**
 * What the model reads of a result: well-formed, and short enough. The whole of a long one goes to a spill file, in a
 * folder of its session, with which it is deleted.
 */
export async function fitResult(content: string, options: BudgetOptions, sessionId = ''): Promise<string> {
  const { limit, logger } = options;
  const spillFolder =
    options.spillFolder === undefined || sessionId === ''
      ? options.spillFolder
      : join(options.spillFolder, sessionFolderName(sessionId));
  const clean = cleanSurrogates(content);
  if (clean.length <= limit) return clean;
  const { head, tail, omitted } = splitMiddle(clean, Math.max(limit - NOTICE_ROOM, limit / 2));
  const file = spillFolder === undefined ? undefined : await spill(clean, spillFolder, logger);
  const where =
    file === undefined ? 'The whole was not kept.' : `The whole is in ${file}; read parts of it with read_file.`;
  return `${head}\n\n[… ${omitted} of ${clean.length} characters left out here. ${where} …]\n\n${tail}`;
}

/** A full disk must not cost the model its result. */
async function spill(content: string, folder: string, logger: Logger): Promise<string | undefined> {
  const file = join(folder, `${newId('result')}.txt`);
  try {
    await ensurePrivateFolder(folder);
    await writeFileAtomic(file, content, { mode: 0o600 });
    return file;
  } catch (thrown) {
    logger.warn('a long tool result could not be saved', { file, error: errorMessage(thrown) });
    return undefined;
  }
}
