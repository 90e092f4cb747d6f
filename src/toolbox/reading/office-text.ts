import { type DocumentText, UnreadableDocument } from './document.ts';
import { openZip, type ZipFile } from './zip.ts';

/** Which XML elements of a document format produce text, lines and table cells. */
type Markup = {
  /** Elements that contain text. */
  texts: ReadonlySet<string>;
  /** White space in the XML is only layout and is collapsed. */
  collapses: boolean;
  /** Elements that end a line. */
  lines: ReadonlySet<string>;
  /** Elements that represent a character. */
  characters: Readonly<Record<string, string>>;
  /** The element of a table cell. The cells of a row become one line. */
  cell: string;
  /** Elements whose text is not part of the document. */
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

const NOTE = 'text of the document; patch and write_file cannot edit this format';

export async function readWordDocument(bytes: Uint8Array): Promise<DocumentText> {
  const zip = openZip(bytes);
  return { text: documentText(await required(zip, 'word/document.xml'), WORD), note: NOTE };
}

export async function readOpenDocument(bytes: Uint8Array): Promise<DocumentText> {
  const zip = openZip(bytes);
  return { text: documentText(await required(zip, 'content.xml'), OPEN_DOCUMENT), note: NOTE };
}

/** Converts a presentation to text. The order of the slides follows their file names. */
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

/** Reads a part of the document that must exist. */
export async function required(zip: ZipFile, name: string): Promise<string> {
  const part = await zip.read(name);
  if (part === undefined) throw new UnreadableDocument(`it has no ${name}`);
  return part;
}

/** Converts the XML of a document to text with lines and tables. */
function documentText(xml: string, markup: Markup): string {
  const { texts, collapses, lines: lineElements, characters, cell, skipped } = markup;
  const lines: string[] = [];
  /** Finished cells of the current table row. */
  let cells: string[] = [];
  let line = '';
  let [inText, inCell, inSkipped] = [0, 0, 0];
  for (const piece of tokenizeXml(xml)) {
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
    // A paragraph inside a cell does not end the line.
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

/** OpenDocument writes several spaces as one element with a count. */
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

const MAX_ROWS = 5000;
const MAX_COLUMNS = 256;

/** Converts a workbook to text: one line per row, cells separated by tabs, formulas by their last value. */
export async function readSpreadsheet(bytes: Uint8Array): Promise<DocumentText> {
  const zip = openZip(bytes);
  const shared = readSharedTexts((await zip.read('xl/sharedStrings.xml')) ?? '');
  const sheets: string[] = [];
  for (const { name, part } of await listSheets(zip)) {
    sheets.push(`[sheet ${name}]\n${readSheet(await required(zip, part), shared)}`);
  }
  const note = 'values of the workbook, cells separated by tabs; patch and write_file cannot edit this format';
  return { text: sheets.join('\n'), note };
}

async function listSheets(zip: ZipFile): Promise<{ name: string; part: string }[]> {
  const targets = new Map<string, string>();
  for (const piece of tokenizeXml((await zip.read('xl/_rels/workbook.xml.rels')) ?? '')) {
    if (piece.kind !== 'open' || piece.name !== 'Relationship') continue;
    const target = attribute(piece.attributes, 'Target') ?? '';
    targets.set(attribute(piece.attributes, 'Id') ?? '', target.startsWith('/') ? target.slice(1) : `xl/${target}`);
  }
  const sheets: { name: string; part: string }[] = [];
  for (const piece of tokenizeXml(await required(zip, 'xl/workbook.xml'))) {
    if (piece.kind !== 'open' || piece.name !== 'sheet') continue;
    const part = targets.get(attribute(piece.attributes, 'r:id') ?? '');
    if (part?.includes('worksheets/')) sheets.push({ name: attribute(piece.attributes, 'name') ?? '', part });
  }
  return sheets;
}

/** Reads the shared string table, to which cells refer by index. */
function readSharedTexts(xml: string): string[] {
  const texts: string[] = [];
  let current = '';
  let inText = false;
  for (const piece of tokenizeXml(xml)) {
    if (piece.kind === 'text' && inText) current += piece.text;
    else if (piece.kind !== 'text' && piece.name === 't') inText = piece.kind === 'open' && !piece.empty;
    else if (piece.kind === 'close' && piece.name === 'si') {
      texts.push(current);
      current = '';
    }
  }
  return texts;
}

function readSheet(xml: string, shared: readonly string[]): string {
  const rows: string[] = [];
  let cells: string[] = [];
  let type = '';
  let column = 0;
  let value: string | undefined;
  let dropped = 0;
  for (const piece of tokenizeXml(xml)) {
    if (piece.kind === 'text') {
      if (value !== undefined) value += piece.text;
    } else if (piece.kind === 'open') {
      if (piece.name === 'c') {
        type = attribute(piece.attributes, 't') ?? '';
        column = columnOf(attribute(piece.attributes, 'r')) ?? cells.length;
      } else if ((piece.name === 'v' || piece.name === 't') && !piece.empty) value = '';
    } else if (piece.name === 'v' || piece.name === 't') {
      if (column < MAX_COLUMNS) put(cells, column, cellText(value ?? '', type, shared));
      value = undefined;
    } else if (piece.name === 'row') {
      if (rows.length < MAX_ROWS) rows.push(Array.from(cells, (cell) => cell ?? '').join('\t'));
      else dropped += 1;
      cells = [];
    }
  }
  return dropped === 0 ? rows.join('\n') : `${rows.join('\n')}\n[${dropped} more rows omitted]`;
}

/** Rich text consists of several runs, which are concatenated. */
function put(cells: string[], column: number, text: string): void {
  cells[column] = (cells[column] ?? '') + text;
}

function cellText(value: string, type: string, shared: readonly string[]): string {
  if (type === 's') return shared[Number(value)] ?? '';
  return (type === 'b' ? (value === '1' ? 'TRUE' : 'FALSE') : value).replace(/[\t\r\n]+/g, ' ');
}

/** `AB12` is column 27, counting from 0. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]+/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** A token of an XML text. Names include their prefix. */
type XmlToken =
  | { kind: 'open'; name: string; attributes: string; empty: boolean }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string };

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Limit of the attributes of one element in characters. */
const MAX_ATTRIBUTES = 10_000;

/**
 * Tokenizes XML in linear time. Entities that a document declares are not expanded, which prevents entity bombs. An
 * unclosed construct ends the text.
 */
export function* tokenizeXml(xml: string): Generator<XmlToken> {
  for (let at = 0; at < xml.length; ) {
    const start = xml.indexOf('<', at);
    const textEnd = start < 0 ? xml.length : start;
    if (textEnd > at) yield { kind: 'text', text: decodeEntities(xml.slice(at, textEnd)) };
    if (start < 0) return;
    const { end, piece } = readMarkup(xml, start);
    if (piece) yield piece;
    at = end;
  }
}

function readMarkup(xml: string, start: number): { end: number; piece?: XmlToken } {
  if (xml.startsWith('<!--', start)) return { end: endAfter(xml, '-->', start + 4) };
  if (xml.startsWith('<![CDATA[', start)) {
    const end = endAfter(xml, ']]>', start + 9);
    return { end, piece: { kind: 'text', text: xml.slice(start + 9, end - 3) } };
  }
  const next = xml[start + 1];
  if (next === '!' || next === '?') return { end: endAfter(xml, '>', start) };
  const end = endOfTag(xml, start + 1);
  const inside = xml.slice(start + 1, Math.min(end - 1, start + MAX_ATTRIBUTES));
  const name = /^\/?[^\s/>]+/.exec(inside)?.[0] ?? '';
  if (name.startsWith('/')) return { end, piece: { kind: 'close', name: name.slice(1) } };
  const empty = xml[end - 2] === '/';
  return name === '' ? { end } : { end, piece: { kind: 'open', name, attributes: inside.slice(name.length), empty } };
}

function endAfter(xml: string, marker: string, from: number): number {
  const found = xml.indexOf(marker, from);
  return found < 0 ? xml.length : found + marker.length;
}

/** A tag ends at the first > outside quotes. */
function endOfTag(xml: string, from: number): number {
  for (let at = from; at < xml.length; at++) {
    const character = xml[at];
    if (character === '>') return at + 1;
    if (character !== '"' && character !== "'") continue;
    at = xml.indexOf(character, at + 1);
    if (at < 0) break;
  }
  return xml.length;
}

export function attribute(attributes: string, name: string): string | undefined {
  for (const [, found, double, single] of attributes.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (found === name) return decodeEntities(double ?? single ?? '');
  }
  return undefined;
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
