import type { ModelFailure } from '../base/index.ts';
import type { CompressionTarget } from './turn.ts';
import { tokenFigure } from './token-figure.ts';

/**
 * The context window of the current route: the known size, or the limit learned from a provider error if that is
 * smaller. Undefined if neither is known.
 */
export function windowOf({ routes, options }: Pick<CompressionTarget, 'routes' | 'options'>): number | undefined {
  const route = routes.current();
  const { contextLength: known = Infinity } = route;
  const learnt = routes.learned().contextLimit ?? options.windows?.find(route) ?? Infinity;
  const window = Math.min(known, learnt);
  return Number.isFinite(window) ? window : undefined;
}

/**
 * Learns the context limit from a provider error. A limit that the error states is saved permanently; otherwise this
 * agent only remembers that the rejected size was too large.
 */
export function learnWindow(target: CompressionTarget, failure: ModelFailure): void {
  const lessons = target.routes.learned();
  if (failure.contextLimit !== undefined) {
    lessons.contextLimit = failure.contextLimit;
    target.options.windows?.learn(target.routes.current(), failure.contextLimit);
  } else if (failure.kind === 'context_overflow') {
    lessons.contextLimit = Math.min(windowOf(target) ?? Infinity, tokenFigure(target));
  }
}
