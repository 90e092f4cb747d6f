import { chooseMarkers } from '../caching/choose-markers.ts';
import type { Recovery } from './recovery.ts';

/** How errors name a cache marker. */
const MARKER_WORDS = /cache_?(?:control|point)/i;

/**
 * The endpoint rejected cache markers: send fewer of them, in this call and in later ones. Some gateways reject the
 * form of a message with markers without naming them; then this is tried once.
 */
export const dropCacheMarkers: Recovery = {
  name: 'drop-cache-markers',
  applies: (problem, turn) =>
    problem.type === 'failure' &&
    (namesMarkers(problem.failure) || problem.failure.kind === 'format_error') &&
    chooseMarkers(turn) !== undefined,
  async apply(problem, turn) {
    const sent = chooseMarkers(turn);
    if (problem.type !== 'failure' || sent === undefined) return 'pass';
    const { lowerMarkers } = await import('../caching/lower-markers.ts');
    return lowerMarkers(turn, problem.failure, namesMarkers(problem.failure), sent) ? 'retry' : 'pass';
  },
};

function namesMarkers({ message, parameter }: { message: string; parameter?: { name: string } }): boolean {
  return MARKER_WORDS.test(message) || MARKER_WORDS.test(parameter?.name ?? '');
}
