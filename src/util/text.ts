/**
 * Replaces lone UTF-16 surrogates with U+FFFD: they cannot be encoded in UTF-8, and providers reject JSON that
 * contains them.
 */
export function cleanSurrogates(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/**
 * The length of the longest suffix of a text that is a prefix of a word, as when the rest of the word has yet to
 * arrive.
 */
export function trailingPrefixLength(text: string, word: string): number {
  for (let length = Math.min(word.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(word.slice(0, length))) return length;
  }
  return 0;
}

/** Quotes text as one word of a POSIX shell. */
export function quoteShellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Expansion stops before the result exceeds this size, because several pairs of braces multiply it. */
const MAX_CHARACTERS = 1_000_000;

/** Expands braces as a shell does: `{a,b}/c` becomes a/c and b/c. Braces without a comma are literal. */
export function expandBraces(text: string): string[] {
  let texts = [text];
  for (;;) {
    const expanded = texts.flatMap(expandFirst);
    const size = expanded.reduce((sum, { length }) => sum + length, 0);
    if (expanded.length === texts.length || size > MAX_CHARACTERS) return texts;
    texts = expanded;
  }
}

/** Expands the first pair that contains no other pair. */
function expandFirst(text: string): string[] {
  let start = -1;
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    if (brace === '{') start = index;
    else if (start >= 0) {
      const choices = text.slice(start + 1, index).split(',');
      if (choices.length > 1) return choices.map((choice) => text.slice(0, start) + choice + text.slice(index + 1));
      start = -1;
    }
  }
  return [text];
}

/**
 * A 32-bit hash of a text, for choosing a cache slot. Fast and without imports; texts may collide, so a slot must
 * record which text it belongs to.
 */
export function hashText(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) >>> 0;
  return sum;
}

/** Control characters that JSON writes as six characters each. */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /([\u0000-\u0007\u000b\u000e-\u001f])\1*/g;
/** A longer run of one control character is described instead of shown. */
const MAX_SHOWN_RUN = 4;
const CONTROL_PICTURES = 0x2400;

/** Replaces control characters with visible ones, and long runs of one, such as binary zeros, with their number. */
export function showControls(text: string): string {
  return text.replace(CONTROLS, (run: string, character: string) => {
    const code = character.charCodeAt(0);
    if (run.length <= MAX_SHOWN_RUN) return String.fromCharCode(CONTROL_PICTURES + code).repeat(run.length);
    const name =
      code === 0 ? 'NUL characters' : `control characters U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    return `[${run.length.toLocaleString('en-US')} ${name}]`;
  });
}

/** What an agent answers if there is nothing to report, in the spellings of the original. */
const SILENT = /^\s*(?:\[SILENT\]|SILENT|NO[_ ]REPLY)\s*$/i;

/** Whether an answer is empty or says that there is nothing to report. A text that only contains the word is an answer. */
export function isSilentAnswer(answer: string): boolean {
  return answer.trim() === '' || SILENT.test(answer);
}
