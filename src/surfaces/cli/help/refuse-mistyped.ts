import { distance } from 'fastest-levenshtein';
import { ConfigurationError } from '../../../base/index.ts';
import { nearestNames } from '../../../util/index.ts';
import { COMMAND_NAMES } from '../command-names.ts';

/** Whoever writes more words than this has written a prompt. */
const MOST_WORDS = 3;
const MOST_SUGGESTIONS = 2;
/** From here on a word with two wrong letters is still the same word; `hello` is not `help`. */
const LONG_WORD = 6;

/**
 * `hermes sesions list` is hardly meant for a model, which would be paid for it. Only what comes very near to a command
 * is refused: a prompt may be any word.
 */
export function refuseMistyped(words: readonly string[]): void {
  const [first] = words;
  if (first === undefined || words.length > MOST_WORDS || !/^[a-z-]+$/i.test(first)) return;
  const near = nearestNames(first, COMMAND_NAMES, MOST_SUGGESTIONS).filter((name) => isSlip(first.toLowerCase(), name));
  if (near.length === 0) return;
  throw new ConfigurationError(`There is no command "${first}".`, {
    hint: `Perhaps \`hermes ${near.join('` or `hermes ')}\`? To ask a model, use \`hermes -q "${words.join(' ')}"\`.`,
  });
}

/** A letter or two wrong behind the first, two swapped, or only the beginning of a name. */
function isSlip(word: string, name: string): boolean {
  if (word.length < 3 || word[0] !== name[0]) return false;
  if (word.length >= 4 && name.startsWith(word)) return true;
  return distance(word, name) <= (word.length < LONG_WORD ? 1 : 2) || isSwapped(word, name);
}

function isSwapped(word: string, name: string): boolean {
  return word.length === name.length && [...word].sort().join('') === [...name].sort().join('');
}
