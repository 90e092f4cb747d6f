import type { ModelErrorKind } from '../../base/index.ts';
import { chooseMarkers } from '../caching/choose-markers.ts';
import { failureOf, type Recovery } from './recovery.ts';

/** How errors name a cache marker, or the list of text blocks that a message with a marker needs. */
const MARKER_WORDS = /cache_?(?:control|point)|\bcontent\b.{0,40}\bstring\b/i;
/** The kinds of errors about what a request contains. Others, such as a rate limit, only mention markers. */
const REFUSALS: readonly ModelErrorKind[] = ['format_error', 'unsupported_parameter', 'server_error', 'unknown'];

/**
 * The endpoint rejected cache markers: send fewer of them, in this call and in later ones. Some gateways reject the
 * form of a message with markers without naming them; then this is tried once.
 */
export const dropCacheMarkers: Recovery = {
  name: 'drop-cache-markers',
  applies(problem, turn) {
    const failure = failureOf(problem, REFUSALS);
    if (failure === undefined || chooseMarkers(turn) === undefined) return false;
    return namesMarkers(failure) || failure.kind === 'format_error';
  },
  async apply(problem, turn) {
    const [failure, sent] = [failureOf(problem, REFUSALS), chooseMarkers(turn)];
    if (failure === undefined || sent === undefined) return 'pass';
    const { lowerMarkers, restoreMarkers } = await import('../caching/lower-markers.ts');
    const isNamed = namesMarkers(failure);
    if (!isNamed && turn.state.step.guessedMarkers) {
      restoreMarkers(turn);
      return 'pass';
    }
    return lowerMarkers(turn, failure, isNamed, sent) ? 'retry' : 'pass';
  },
};

function namesMarkers({ message, parameter }: { message: string; parameter?: { name: string } }): boolean {
  return MARKER_WORDS.test(message) || MARKER_WORDS.test(parameter?.name ?? '');
}
