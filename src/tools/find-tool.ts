import { distance } from 'fastest-levenshtein';

/** Names shorter than this are too close to each other for an edit to be a slip. */
const MIN_EDITABLE_LENGTH = 5;
const MAX_EDITS = 2;

/** The name that was meant: exact, else the only near miss. Undefined where there is none, or more than one. */
export function findToolName(wanted: string, names: readonly string[]): string | undefined {
  if (names.includes(wanted)) return wanted;
  const plain = plainName(wanted);
  const alike = names.filter((name) => plainName(name) === plain);
  if (alike.length > 0) return alike.length === 1 ? alike[0] : undefined;
  return closest(plain, names);
}

/** Without case, separators and the prefixes that some models put in front. */
function plainName(name: string): string {
  return name
    .trim()
    .replace(/^(?:functions?|tools?|default_api)[.:/]+/i, '')
    .replace(/[\s_.-]+/g, '')
    .toLowerCase();
}

/** A guess is only made where one name is nearer than all others. */
function closest(plain: string, names: readonly string[]): string | undefined {
  if (plain.length < MIN_EDITABLE_LENGTH) return undefined;
  const near = names
    .map((name) => ({ name, edits: distance(plain, plainName(name)) }))
    .filter(({ edits, name }) => edits <= MAX_EDITS && name.length >= MIN_EDITABLE_LENGTH)
    .sort((a, b) => a.edits - b.edits);
  const [best, second] = near;
  return best && best.edits !== second?.edits ? best.name : undefined;
}
