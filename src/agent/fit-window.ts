import { compressContext } from './compress-context.ts';
import { tokenFigure } from './token-figure.ts';
import type { Turn } from './turn.ts';
import { windowOf } from './window.ts';

/** A conversation with fewer messages has no middle that could go. */
export const FEWEST_MESSAGES = 4;

/**
 * Asked before every request: whether the conversation should get smaller first. Once per step and route, so that one
 * which cannot get smaller does not keep the turn from going on.
 */
export async function fitWindow(turn: Turn): Promise<void> {
  const { session, options, state } = turn;
  if (options.compressesByItself === false || state.step.fitted || session.history.length < FEWEST_MESSAGES) return;
  const contextLength = windowOf(turn);
  if (contextLength === undefined) return;
  const { lineageId } = session;
  if (!options.context.shouldCompress({ lineageId, tokens: tokenFigure(turn), contextLength })) return;
  state.step.fitted = true;
  await compressContext(turn, { reason: state.apiCalls === 0 ? 'preflight' : 'results' });
}
