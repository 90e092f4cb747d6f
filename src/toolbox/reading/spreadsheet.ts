import type { DocumentText } from './document-text.ts';
import { required } from './office-text.ts';
import { attribute, xmlPieces } from './xml.ts';
import { openZip, type ZipFile } from './zip.ts';

const MAX_ROWS = 5000;
const MAX_COLUMNS = 256;

/** The sheets of a workbook, a line for each row, cells set apart by tabs. Formulas are shown by their last value. */
export async function readSpreadsheet(bytes: Uint8Array): Promise<DocumentText> {
  const zip = openZip(bytes);
  const shared = readSharedTexts((await zip.read('xl/sharedStrings.xml')) ?? '');
  const sheets: string[] = [];
  for (const { name, part } of await listSheets(zip)) {
    sheets.push(`[sheet ${name}]\n${readSheet(await required(zip, part), shared)}`);
  }
  const note = 'values of the workbook, cells set apart by tabs; it cannot be changed with patch or write_file';
  return { text: sheets.join('\n'), note };
}

async function listSheets(zip: ZipFile): Promise<{ name: string; part: string }[]> {
  const targets = new Map<string, string>();
  for (const piece of xmlPieces((await zip.read('xl/_rels/workbook.xml.rels')) ?? '')) {
    if (piece.kind !== 'open' || piece.name !== 'Relationship') continue;
    const target = attribute(piece.attributes, 'Target') ?? '';
    targets.set(attribute(piece.attributes, 'Id') ?? '', target.startsWith('/') ? target.slice(1) : `xl/${target}`);
  }
  const sheets: { name: string; part: string }[] = [];
  for (const piece of xmlPieces(await required(zip, 'xl/workbook.xml'))) {
    if (piece.kind !== 'open' || piece.name !== 'sheet') continue;
    const part = targets.get(attribute(piece.attributes, 'r:id') ?? '');
    if (part?.includes('worksheets/')) sheets.push({ name: attribute(piece.attributes, 'name') ?? '', part });
  }
  return sheets;
}

/** Texts stand once in a table of their own, and cells have their numbers. */
function readSharedTexts(xml: string): string[] {
  const texts: string[] = [];
  let current = '';
  let inText = false;
  for (const piece of xmlPieces(xml)) {
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
  for (const piece of xmlPieces(xml)) {
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
  return dropped === 0 ? rows.join('\n') : `${rows.join('\n')}\n[${dropped} more rows are not shown]`;
}

/** Rich text comes in several pieces. */
function put(cells: string[], column: number, text: string): void {
  cells[column] = (cells[column] ?? '') + text;
}

function cellText(value: string, type: string, shared: readonly string[]): string {
  if (type === 's') return shared[Number(value)] ?? '';
  return (type === 'b' ? (value === '1' ? 'TRUE' : 'FALSE') : value).replace(/[\t\r\n]+/g, ' ');
}

/** `AB12` is column 27, counted from 0. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]+/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
