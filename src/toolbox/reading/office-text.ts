import { type DocumentText, UnreadableDocument } from './document-text.ts';
import { attribute, xmlPieces } from './xml.ts';
import { openZip, type ZipFile } from './zip.ts';

/** Which elements of a kind of document make lines and gaps of its text. */
type Markup = {
  /** Text counts only inside these. */
  texts: ReadonlySet<string>;
  /** Line breaks and several blanks in a row are only layout. */
  collapses: boolean;
  /** What ends a line. */
  lines: ReadonlySet<string>;
  /** What stands for a character. */
  characters: Readonly<Record<string, string>>;
  /** Cells of a table stand in one line. */
  cell: string;
  /** What is no text of the document. */
  skipped: ReadonlySet<string>;
};

const WORD: Markup = {
  texts: new Set(['w:t']),
  collapses: false,
  lines: new Set(['w:p']),
  characters: { 'w:tab': '\t', 'w:br': '\n', 'w:cr': '\n' },
  cell: 'w:tc',
  skipped: new Set(['w:del', 'w:instrText']),
};

const SLIDE: Markup = {
  texts: new Set(['a:t']),
  collapses: false,
  lines: new Set(['a:p']),
  characters: { 'a:br': '\n' },
  cell: 'a:tc',
  skipped: new Set(),
};

const OPEN_DOCUMENT: Markup = {
  texts: new Set(['text:p', 'text:h']),
  collapses: true,
  lines: new Set(['text:p', 'text:h']),
  characters: { 'text:tab': '\t', 'text:line-break': '\n', 'text:s': ' ' },
  cell: 'table:table-cell',
  skipped: new Set(['text:tracked-changes', 'office:annotation', 'office:forms', 'office:automatic-styles']),
};

const NOTE = 'text of the document; it cannot be changed with patch or write_file';

export async function readWordDocument(bytes: Uint8Array): Promise<DocumentText> {
  const zip = openZip(bytes);
  return { text: documentText(await required(zip, 'word/document.xml'), WORD), note: NOTE };
}

export async function readOpenDocument(bytes: Uint8Array): Promise<DocumentText> {
  const zip = openZip(bytes);
  return { text: documentText(await required(zip, 'content.xml'), OPEN_DOCUMENT), note: NOTE };
}

/** Slides in their order, as far as the file names tell it. */
export async function readPresentation(bytes: Uint8Array): Promise<DocumentText> {
  const zip = openZip(bytes);
  const numbers = zip.names.flatMap((name) => /^ppt\/slides\/slide(\d+)\.xml$/.exec(name)?.[1] ?? []).map(Number);
  if (numbers.length === 0) throw new UnreadableDocument('it has no slides');
  const slides: string[] = [];
  for (const number of numbers.sort((a, b) => a - b)) {
    const text = documentText(await required(zip, `ppt/slides/slide${number}.xml`), SLIDE);
    slides.push(`[slide ${number}]\n${text}`);
  }
  return { text: slides.join('\n'), note: NOTE };
}

/** A part without which the document is none. */
export async function required(zip: ZipFile, name: string): Promise<string> {
  const part = await zip.read(name);
  if (part === undefined) throw new UnreadableDocument(`it has no ${name}`);
  return part;
}

/** The text between the tags, with the lines and tables that the tags stand for. */
function documentText(xml: string, markup: Markup): string {
  const { texts, collapses, lines: lineElements, characters, cell, skipped } = markup;
  const lines: string[] = [];
  /** The cells before the one that is read; outside of tables there are none. */
  let cells: string[] = [];
  let line = '';
  let [inText, inCell, inSkipped] = [0, 0, 0];
  for (const piece of xmlPieces(xml)) {
    if (piece.kind === 'text') {
      if (inSkipped === 0 && inText > 0) line += collapses ? piece.text.replace(/\s+/g, ' ') : piece.text;
      continue;
    }
    const step = piece.kind === 'close' ? -1 : piece.empty ? 0 : 1;
    if (skipped.has(piece.name)) inSkipped += step;
    if (texts.has(piece.name)) inText += step;
    if (piece.name === cell) inCell += step;
    if (inSkipped > 0) continue;
    if (piece.kind === 'open') line += repeated(characters[piece.name], piece.attributes);
    const ends = piece.kind === 'close' || piece.empty;
    if (ends && piece.name === cell) {
      cells.push(line.trim());
      line = '';
    }
    // Paragraphs in a cell stay in the line of its row, and an empty one is a line too.
    else if (ends && inCell > 0 && lineElements.has(piece.name)) line += ' ';
    else if (ends && (lineElements.has(piece.name) || isRow(piece.name))) {
      lines.push([...cells, line].join('\t').trimEnd());
      cells = [];
      line = '';
    }
  }
  return tidy([...lines, line].join('\n'));
}

function isRow(name: string): boolean {
  return name === 'w:tr' || name === 'a:tr' || name === 'table:table-row';
}

/** Several blanks in a row are one element with a count. */
function repeated(character: string | undefined, attributes: string): string {
  if (character === undefined) return '';
  return character.repeat(Math.min(Number(attribute(attributes, 'text:c') ?? 1) || 1, 1000));
}

function tidy(text: string): string {
  return text
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '')
    .trimEnd();
}
