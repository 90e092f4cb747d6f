import type { ModelErrorKind, ModelFailure } from '../../base/index.ts';
import { chooseMarkers } from '../caching/choose-markers.ts';
import type { Turn } from '../turn.ts';
import { failureOf, type Recovery } from './recovery.ts';

/** How errors name a cache marker, or the list of text blocks that a message with a marker needs. */
const MARKER_WORDS = /cache_?(?:control|point)|\bcontent\b.{0,40}\bstring\b/i;
/** The kinds of errors about what a request contains. Others, such as a rate limit, only mention markers. */
const REFUSALS: readonly ModelErrorKind[] = ['format_error', 'unsupported_parameter', 'server_error', 'unknown'];

/**
 * Some gateways also fail in this way at the form of a message with markers. Usually such an error has another cause and
 * passes by itself, so the same request is repeated first.
 */
const CRASHES: readonly ModelErrorKind[] = ['server_error', 'unknown'];

/**
 * The endpoint rejected cache markers: send fewer of them, in this call and in later ones. Some gateways reject the
 * form of a message with markers without naming them; then the form that was accepted before is tried, and none.
 */
export const dropCacheMarkers: Recovery = {
  name: 'drop-cache-markers',
  applies(problem, turn) {
    const failure = failureOf(problem, REFUSALS);
    if (failure === undefined || chooseMarkers(turn) === undefined) return false;
    return namesMarkers(failure) || mayBeRefusal(failure, turn.state.step);
  },
  async apply(problem, turn) {
    const [failure, sent] = [failureOf(problem, REFUSALS), chooseMarkers(turn)];
    if (failure === undefined || sent === undefined) return 'pass';
    const { lowerMarkers, restoreMarkers } = await import('../caching/lower-markers.ts');
    const isNamed = namesMarkers(failure);
    if (!isNamed && turn.state.step.markerGuess !== undefined && sent.level === 'none') {
      restoreMarkers(turn);
      return 'pass';
    }
    return lowerMarkers(turn, failure, isNamed, sent) ? 'retry' : 'pass';
  },
};

function mayBeRefusal({ kind }: ModelFailure, { attempts, markerGuess }: Turn['state']['step']): boolean {
  if (markerGuess?.isWrong) return false;
  return kind === 'format_error' || (CRASHES.includes(kind) && (attempts > 1 || markerGuess !== undefined));
}

function namesMarkers({ message, parameter }: { message: string; parameter?: { name: string } }): boolean {
  return MARKER_WORDS.test(message) || MARKER_WORDS.test(parameter?.name ?? '');
}
