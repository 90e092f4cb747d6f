const SHOW = '`hermes config show` shows what there is.';

/** What to do about a key that is not there: the nearest ones, or else where all of them are. */
export function keyHint(near: readonly string[], otherwise = SHOW): string {
  return near.length > 0 ? `Did you mean ${near.join(' or ')}?` : otherwise;
}
