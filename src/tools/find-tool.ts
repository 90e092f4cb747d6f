import { distance } from 'fastest-levenshtein';
import { plainName } from './aliases.ts';

/** Names shorter than this are too similar to each other to be corrected. */
const MIN_EDITABLE_LENGTH = 5;
const MAX_EDITS = 2;

/** Resolves a tool name regardless of case and separators. Undefined if there is none or more than one. */
export function findToolName(wanted: string, names: readonly string[]): string | undefined {
  if (names.includes(wanted)) return wanted;
  const plain = plainName(wanted);
  const alike = names.filter((name) => plainName(name) === plain);
  return alike.length === 1 ? alike[0] : undefined;
}

/** Corrects a typo: the closest name, if no other name is equally close. */
export function findNearestToolName(wanted: string, names: readonly string[]): string | undefined {
  const plain = plainName(wanted);
  if (plain.length < MIN_EDITABLE_LENGTH) return undefined;
  const near = names
    .map((name) => ({ name, edits: distance(plain, plainName(name)) }))
    .filter(({ edits, name }) => edits <= MAX_EDITS && name.length >= MIN_EDITABLE_LENGTH)
    .sort((a, b) => a.edits - b.edits);
  const [best, second] = near;
  return best && best.edits !== second?.edits ? best.name : undefined;
}
