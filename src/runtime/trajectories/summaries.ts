import { systemClock } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import { type AuxiliaryRoutes, type SessionStore, silentLogger } from '../../contracts/index.ts';
import type { SummaryQuestion } from '../../trajectories/index.ts';
import { openAuxiliary } from '../auxiliary/open-auxiliary.ts';

/**
 * Multiplies the output limit, because some models reason before they write. The caller truncates a summary that is
 * too long.
 */
const REASONING_FACTOR = 4;

/** Asks the model of `auxiliary.compression` for summaries and records their cost. */
export function openSummaries(
  { settings, routes, store }: { settings: Settings; routes: AuxiliaryRoutes; store: SessionStore },
  { summaryTokens, timeoutSeconds, signal }: { summaryTokens: number; timeoutSeconds: number; signal: AbortSignal },
): (question: SummaryQuestion) => Promise<string> {
  const shared = { store, logger: silentLogger, clock: systemClock };
  const auxiliary = openAuxiliary({ settings, auxiliaryRoutes: routes }, shared);
  return async ({ system, text }) => {
    const limit = AbortSignal.timeout(timeoutSeconds * 1000);
    const answer = await auxiliary?.ask('compression', {
      system,
      messages: [{ role: 'user', content: text }],
      maxOutputTokens: summaryTokens * REASONING_FACTOR,
      signal: AbortSignal.any([signal, limit]),
    });
    return answer?.text ?? '';
  };
}
