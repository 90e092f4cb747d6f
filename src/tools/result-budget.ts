import { basename, dirname, join } from 'node:path';
import { errorMessage, newId, sessionFolderName } from '../base/index.ts';
import type { ToolContext } from '../contracts/index.ts';
import { cleanSurrogates, ensurePrivateFolder, joinCut, splitMiddle, writeFileAtomic } from '../util/index.ts';

const MAX_CHARACTERS = 100_000;
const WINDOW_SHARE = 0.15;
const MAX_BATCH_CHARACTERS = 200_000;
const BATCH_WINDOW_SHARE = 0.3;
const CHARACTERS_PER_TOKEN = 4;
/** Below this not even the notice and a useful beginning would fit. */
const FLOOR = 2000;
/** Room for the notice inside the limit. */
const NOTICE_ROOM = 400;

/** How long a result may be: 100,000 characters, or 15 % of a window for which that is too much. */
export function resultLimit(most = MAX_CHARACTERS, contextLength?: number): number {
  return limitFor(most, WINDOW_SHARE, FLOOR, contextLength);
}

/** How long the results of one batch may be together: 200,000 characters, or 30 % of the window. */
export function batchLimit(contextLength?: number): number {
  return limitFor(MAX_BATCH_CHARACTERS, BATCH_WINDOW_SHARE, 2 * FLOOR, contextLength);
}

function limitFor(most: number, share: number, floor: number, contextLength: number | undefined): number {
  if (contextLength === undefined) return most;
  return Math.min(most, Math.max(floor, Math.floor(contextLength * CHARACTERS_PER_TOKEN * share)));
}

/** A result as the model reads it. `whole` is there where it was cut: how long it was, and where all of it is. */
export type Fitted = { content: string; whole?: { length: number; file: string | undefined } | undefined };
type BudgetOptions = Pick<ToolContext, 'spillFile' | 'logger'> & { limit: number };

/** What the model reads of a result: well-formed, and short enough. The whole of a long one goes to a spill file. */
export async function fitResult(result: Fitted, { limit, ...place }: BudgetOptions): Promise<Fitted> {
  const content = cleanSurrogates(result.content);
  if (content.length <= limit) return { ...result, content };
  // One that was cut before is kept whole already.
  const whole = result.whole ?? { length: content.length, file: await keepWhole(content, place) };
  const cut = splitMiddle(content, Math.max(limit - NOTICE_ROOM, limit / 2));
  const omitted = cut.omitted + whole.length - content.length;
  return { content: joinCut({ ...cut, omitted }, whereWhole(whole.file)), whole };
}

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
