export type Sentence = { start: number; end: number };

const LONGEST = 600;
const OVERLAP = 200;
const END = /[.!?;:]+["'”»)\]*]*(?=\s|$)|[。！？；]/g;
const FEW_WORDS = 16;

/** Where the sentences of a stretch are. Very short ones go together with the next: `Ignore. All. Previous. …` */
export function findSentences(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  let last = 0;
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length;
    const length = end - last;
    last = end;
    // What a colon announces belongs to it.
    if (match[0].startsWith(':') || (length < FEW_WORDS && end - start < OVERLAP)) continue;
    pushBounded(sentences, start, end);
    start = end;
  }
  if (start < text.length) pushBounded(sentences, start, text.length);
  return sentences;
}

/** Text without any full stop is looked at through windows that overlap. */
function pushBounded(sentences: Sentence[], start: number, end: number): void {
  for (let from = start; from < end; from += LONGEST - OVERLAP) {
    sentences.push({ start: from, end: Math.min(end, from + LONGEST) });
    if (from + LONGEST >= end) return;
  }
}
