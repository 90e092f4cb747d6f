import { dirname, join } from 'node:path';
import { errorMessage, newId, sessionFolderName } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';
import { cleanSurrogates, ensurePrivateFolder, joinCut, splitMiddle, writeFileAtomic } from '../util/index.ts';

const MAX_CHARACTERS = 100_000;
const WINDOW_SHARE = 0.15;
const CHARACTERS_PER_TOKEN = 4;
/** Below this not even the notice and a useful beginning would fit. */
const FLOOR = 2000;
/** Room for the notice inside the limit. */
const NOTICE_ROOM = 400;

/** How long a result may be: 100,000 characters, or 15 % of a window for which that is too much. */
export function resultLimit(most = MAX_CHARACTERS, contextLength?: number): number {
  if (contextLength === undefined) return most;
  const share = Math.floor(contextLength * CHARACTERS_PER_TOKEN * WINDOW_SHARE);
  return Math.min(most, Math.max(FLOOR, share));
}

export type BudgetOptions = { limit: number; spillFile(): string | undefined; logger: Logger };

/** What the model reads of a result: well-formed, and short enough. The whole of a long one goes to a spill file. */
export async function fitResult(content: string, { limit, spillFile, logger }: BudgetOptions): Promise<string> {
  const clean = cleanSurrogates(content);
  if (clean.length <= limit) return clean;
  const file = await spill(clean, spillFile(), logger);
  const where =
    file === undefined ? 'The whole was not kept.' : `The whole is in ${file}; read parts of it with read_file.`;
  return joinCut(splitMiddle(clean, Math.max(limit - NOTICE_ROOM, limit / 2)), where);
}

/** A name that no other result has and that says nothing about what is in it, in a folder that goes with its session. */
export function newSpillFile(folder: string, sessionId: string): string {
  const own = sessionId === '' ? folder : join(folder, sessionFolderName(sessionId));
  return join(own, `${newId('result')}.txt`);
}

/** A full disk must not cost the model its result. */
async function spill(content: string, file: string | undefined, logger: Logger): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    await ensurePrivateFolder(dirname(file));
    await writeFileAtomic(file, content, { mode: 0o600 });
    return file;
  } catch (thrown) {
    logger.warn('a long tool result could not be saved', { file, error: errorMessage(thrown) });
    return undefined;
  }
}
