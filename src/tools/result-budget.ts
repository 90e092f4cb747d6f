import type { ToolContext } from '../contracts/index.ts';
import { cleanSurrogates, joinCut, splitMiddle } from '../util/index.ts';
import { keepWhole, whereWhole } from './spill-file.ts';

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
export type BudgetOptions = Pick<ToolContext, 'spillFile' | 'logger'> & { limit: number };

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
