/** Text as it is compared: small letters, Latin ones without their accent; and the way back to the text itself. */
export type FoldedText = {
  text: string;
  /** The place in the original of a place in the folded text. */
  origin(index: number): number;
};

const NOT_ASCII = /[^\0-\x7f]/;
const ACCENTED = /[\u00c0-\u024f\u1e00-\u1eff]/g;
const MARKS = /[\u0300-\u036f]/g;
const HAS_MARKS = /[\u0300-\u036f]/;
const BASE_AND_MARK = /^[a-z][\u0300-\u036f]$/i;

const same = (index: number) => index;

/** Folds as the index does: accents of one mark go, letters with two keep both. */
export function foldText(original: string): FoldedText {
  if (!NOT_ASCII.test(original)) return { text: original.toLowerCase(), origin: same };
  const folded = original.replace(ACCENTED, withoutAccent).toLowerCase();
  if (!HAS_MARKS.test(folded)) return { text: folded, origin: same };
  return withoutMarks(folded);
}

function withoutAccent(letter: string): string {
  const parts = letter.normalize('NFD');
  return BASE_AND_MARK.test(parts) ? parts.charAt(0) : letter;
}

// Marks that stand beside their letter change all places behind them, so the places are written down.
function withoutMarks(folded: string): FoldedText {
  const origins: number[] = [];
  for (let index = 0; index < folded.length; index += 1) {
    const unit = folded.charCodeAt(index);
    if (unit < 0x300 || unit > 0x36f) origins.push(index);
  }
  const end = folded.length;
  return { text: folded.replace(MARKS, ''), origin: (index) => origins[index] ?? end };
}
