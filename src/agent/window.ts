import type { ModelFailure } from '../base/index.ts';
import type { Scene } from './turn.ts';
import { tokenFigure } from './token-figure.ts';

/**
 * How much the model that is asked next reads at once: what is known of it, or less where its provider said so.
 * Undefined where nobody knows.
 */
export function windowOf({ routes, options }: Pick<Scene, 'routes' | 'options'>): number | undefined {
  const route = routes.current();
  const { contextLength: known = Infinity } = route;
  const learnt = routes.lessons().contextLimit ?? options.windows?.find(route) ?? Infinity;
  const window = Math.min(known, learnt);
  return Number.isFinite(window) ? window : undefined;
}

/**
 * Keeps in mind how much a provider takes. Where it named its limit that is kept for good; where it only refused, this
 * agent knows that so much was too much.
 */
export function learnWindow(scene: Scene, failure: ModelFailure): void {
  const lessons = scene.routes.lessons();
  if (failure.contextLimit !== undefined) {
    lessons.contextLimit = failure.contextLimit;
    scene.options.windows?.learn(scene.routes.current(), failure.contextLimit);
  } else if (failure.kind === 'context_overflow') {
    lessons.contextLimit = Math.min(windowOf(scene) ?? Infinity, tokenFigure(scene));
  }
}
