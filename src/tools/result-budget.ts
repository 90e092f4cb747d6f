import { basename, dirname, join } from 'node:path';
import { errorMessage, newId, sessionFolderName } from '../base/index.ts';
import type { ToolContext } from '../contracts/index.ts';
import { cleanSurrogates, ensurePrivateFolder, joinTruncated, splitMiddle, writeFileAtomic } from '../util/index.ts';

const MAX_CHARACTERS = 100_000;
const WINDOW_SHARE = 0.15;
const MAX_BATCH_CHARACTERS = 200_000;
const BATCH_WINDOW_SHARE = 0.3;
const CHARACTERS_PER_TOKEN = 4;
/** The smallest result limit; the notice and a useful excerpt need this much. */
const MIN_CHARACTERS = 2000;
/** Reserved for the truncation notice. */
const NOTICE_ROOM = 400;

/** Limit of one result: 100,000 characters, or 15 % of a small context window. */
export function resultLimit(most = MAX_CHARACTERS, contextLength?: number): number {
  return limitFor(most, WINDOW_SHARE, MIN_CHARACTERS, contextLength);
}

/** Limit of all results of a batch: 200,000 characters, or 30 % of a small context window. */
export function batchLimit(contextLength?: number): number {
  return limitFor(MAX_BATCH_CHARACTERS, BATCH_WINDOW_SHARE, 2 * MIN_CHARACTERS, contextLength);
}

function limitFor(most: number, share: number, floor: number, contextLength: number | undefined): number {
  if (contextLength === undefined) return most;
  return Math.min(most, Math.max(floor, Math.floor(contextLength * CHARACTERS_PER_TOKEN * share)));
}

/** A result as the model reads it. `whole` is set if it was truncated: the full length and the spill file. */
export type FittedResult = { content: string; whole?: { length: number; file: string | undefined } | undefined };
type BudgetOptions = Pick<ToolContext, 'spillFile' | 'logger'> & { limit: number };

/** Truncates a result to the limit and saves the full text to a spill file. */
export async function fitResult(result: FittedResult, { limit, ...place }: BudgetOptions): Promise<FittedResult> {
  const content = cleanSurrogates(result.content);
  if (content.length <= limit) return { ...result, content };
  // A result that was truncated before has been saved already.
  const whole = result.whole ?? { length: content.length, file: await saveFullText(content, place) };
  const cut = splitMiddle(content, Math.max(limit - NOTICE_ROOM, limit / 2));
  const omitted = cut.omitted + whole.length - content.length;
  return { content: joinTruncated({ ...cut, omitted }, describeFullText(whole.file)), whole };
}

// `maskSpillFiles` of base/ recognises these names.
const OUTSIDE = 'outside';
const RESULT = 'result';

/** A unique path that reveals nothing about the content, in a folder that is deleted with its session. */
export function newSpillFile(folder: string, sessionId: string, outside = false): string {
  const own = sessionId === '' ? folder : join(folder, sessionFolderName(sessionId));
  // Not `join`, because nearly every call of a tool gets a path, and few use it.
  return `${own}/${newId(outside ? OUTSIDE : RESULT)}.txt`;
}

/** Whether a path is a spill file of untrusted text, which stays delimited when it is read back. */
export function isUntrustedSpillFile(path: string, folder: string | undefined): boolean {
  return folder !== undefined && path.startsWith(folder) && basename(path).startsWith(OUTSIDE);
}

/** Saves the full text of a truncated result and returns its path. A full disk must not fail the call. */
export async function saveFullText(
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
    logger.warn('could not save the full text of a result', { file, error: errorMessage(thrown) });
    return undefined;
  }
}

/** Tells the model where the full text is. */
export function describeFullText(file: string | undefined): string {
  return file === undefined
    ? 'The full text was not saved.'
    : `The full text is in ${file}; read parts of it with read_file.`;
}
