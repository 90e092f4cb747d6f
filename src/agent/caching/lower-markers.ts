import type { ModelFailure } from '../../base/index.ts';
import { canCarryMarker, type MarkerLevel, type MarkerSupport, type RequestMarkers } from '../../contracts/index.ts';
import { visibleHistory } from '../request.ts';
import type { Turn } from '../turn.ts';

const TTL_WORDS = /\bttl\b/i;

/** Changes the cache markers of later requests after an error. Returns false if they are not the cause. */
export function lowerMarkers(turn: Turn, failure: ModelFailure, isNamed: boolean, sent: RequestMarkers): boolean {
  const { client, provider, model } = turn.routes.current();
  const lessons = turn.routes.learned().markers;
  if (client.cacheMarkers === undefined || sent.level === 'none') return false;
  if (isNamed && sent.ttl === '1h' && TTL_WORDS.test(failure.message) && !lessons.longTtlRefused) {
    lessons.longTtlRefused = true;
    return true;
  }
  const { levels } = client.cacheMarkers;
  const level = isNamed ? lowerLevel(turn, sent.level, levels) : acceptedLevel(turn, levels, sent);
  if (level === undefined) return false;
  turn.logger.info('cache markers were refused', { provider, model, level: sent.level, next: level });
  // An error that does not name markers may have another cause, so it teaches nothing beyond this session.
  Object.assign(lessons, { level, isConfirmed: false, isUnsaved: isNamed, ignored: 0 });
  const { step } = turn.state;
  if (!isNamed) step.markerGuess ??= { attempts: step.attempts, isWrong: false };
  return true;
}

/** The error came again without markers, so they were not its cause. */
export function restoreMarkers({ routes, state }: Turn): void {
  const { step } = state;
  // The requests with markers count again, so that a fallback is not delayed.
  step.attempts += step.markerGuess?.attempts ?? 0;
  step.markerGuess = { attempts: 0, isWrong: true };
  routes.learned().markers.level = undefined;
}

/** The next lower level at which the request has other markers. The last one, `none`, has none at all. */
function lowerLevel({ session }: Turn, level: MarkerLevel, levels: MarkerSupport['levels']): MarkerLevel | undefined {
  const history = visibleHistory(session);
  const carriers = (one: MarkerLevel) => history.map((_, index) => canCarryMarker(history, index, one)).join();
  const lower = levels.slice(levels.indexOf(level) + 1);
  return lower.find((one) => one === 'none' || carriers(one) !== carriers(level));
}

/** The level to try after an error that does not name markers; undefined if this level was accepted before. */
function acceptedLevel(
  { routes, options, state }: Turn,
  levels: MarkerSupport['levels'],
  { level }: RequestMarkers,
): MarkerLevel | undefined {
  if (state.step.markerGuess !== undefined) return 'none';
  const { accepted, level: learned } = routes.learned().markers;
  const isKnown = learned !== undefined || options.cacheMarkers?.find(routes.current()) !== undefined;
  if (isKnown || accepted === 'results' || !levels.includes('text')) return undefined;
  return accepted === 'text' && level !== 'text' ? 'text' : 'none';
}
