/** A word that may refer to a file: `@` at the start of a line, after white space or after an opening bracket. */
const REFERENCE = /(?<![^\s([{"'])@((?:\\ |[^\s\\\p{C}])+)/gu;
/** Punctuation of the sentence around a reference. */
const TRAILING_PUNCTUATION = /[.,;:!?)\]}"'*>]+$/;
const FENCE = /^ {0,3}(?:[-*+>] {1,3}|\d{1,9}[.)] {1,3})*(`{3,}|~{3,})(.*)$/;
const MAX_REFERENCES = 200;

/**
 * The paths that a Markdown text refers to as `@path`, in order and without duplicates. Code spans, fenced code blocks
 * and HTML comments are skipped. A reference can also be a user name or a package; only the file system tells.
 */
export function findReferences(text: string): string[] {
  const found = new Set<string>();
  for (const paragraph of paragraphsOf(blankComments(text))) {
    for (const [, path = ''] of blankCodeSpans(paragraph).matchAll(REFERENCE)) {
      const name = path.replaceAll('\\ ', ' ').replace(/#.*$/, '').replace(TRAILING_PUNCTUATION, '');
      if (name !== '' && found.size < MAX_REFERENCES) found.add(name);
    }
  }
  return [...found];
}

function blankComments(text: string): string {
  let result = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf('<!--', at);
    const end = start < 0 ? -1 : text.indexOf('-->', start + 4);
    if (end < 0) return result + text.slice(at);
    result += `${text.slice(at, start)} `;
    at = end + 3;
  }
}

/** The paragraphs outside fenced code blocks. A code span cannot extend past its paragraph. */
function paragraphsOf(text: string): string[] {
  const paragraphs: string[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  const finish = () => {
    if (lines.length > 0) paragraphs.push(lines.join('\n'));
    lines = [];
  };
  for (const line of text.split(/\r?\n/)) {
    const [, marks, info = ''] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (marks?.startsWith(fence) && info.trim() === '') fence = undefined;
    } else if (marks !== undefined && !(marks.startsWith('`') && info.includes('`'))) {
      finish();
      fence = marks;
    } else if (line.trim() === '') finish();
    else lines.push(line);
  }
  finish();
  return paragraphs;
}

/** A code span ends at the next run of as many backticks as it starts with; a run without a partner is text. */
function blankCodeSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)];
  let result = '';
  let at = 0;
  for (let index = 0; index < runs.length; index++) {
    const open = runs[index] as RegExpExecArray;
    let partner = index + 1;
    while (partner < runs.length && runs[partner]?.[0].length !== open[0].length) partner++;
    const close = runs[partner];
    if (close === undefined) continue;
    // A letter in place of the code, so that an @ right after it does not look like the start of a word.
    result += `${text.slice(at, open.index)}x`;
    at = close.index + close[0].length;
    index = partner;
  }
  return result + text.slice(at);
}
