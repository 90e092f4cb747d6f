import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { stripAnsi, takeStart } from '../../util/index.ts';
import { type DocumentText, UnreadableDocument } from './document.ts';

/** Limit of a cell's output, which is often a long table or log; the code matters more. */
const MAX_OUTPUT = 4000;

/** Converts a notebook to its cells with the text of their outputs. */
export function readNotebook(bytes: Uint8Array): DocumentText {
  const notebook = parseNotebook(bytes);
  const cells = Array.isArray(notebook['cells']) ? notebook['cells'].filter(isJsonObject) : undefined;
  // A broken notebook is read as JSON text, so that it can be repaired.
  if (!cells) throw new UnreadableDocument('it has no cells', true);
  const text = cells.map((cell, index) => describeCell(cell, index + 1)).join('\n\n');
  return { text, note: `notebook as text, ${cells.length} cells; line numbers refer to this text, not to the file` };
}

function parseNotebook(bytes: Uint8Array): JsonObject {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (isJsonObject(parsed)) return parsed;
  } catch {
    // Invalid JSON is reported below.
  }
  throw new UnreadableDocument('it is not JSON', true);
}

function describeCell(cell: JsonObject, number: number): string {
  const kind = typeof cell['cell_type'] === 'string' ? cell['cell_type'] : 'unknown';
  const outputs = Array.isArray(cell['outputs']) ? cell['outputs'].filter(isJsonObject).map(describeOutput) : [];
  const shown = outputs.filter((output) => output !== '');
  return [`[cell ${number}, ${kind}]`, joined(cell['source']), ...shown.flatMap((text) => ['[output]', text])]
    .filter((part) => part !== '')
    .join('\n');
}

/** The text of an output; other media types are only named. */
function describeOutput(output: JsonObject): string {
  const traceback = joined(output['traceback'], '\n');
  const data = isJsonObject(output['data']) ? output['data'] : {};
  const kinds = Object.keys(data).filter((kind) => !kind.startsWith('text/'));
  const text = joined(output['text']) || joined(data['text/plain']) || traceback || joined(output['evalue']);
  const plain = stripAnsi(text).trimEnd();
  const cut = plain.length > MAX_OUTPUT ? `${takeStart(plain, MAX_OUTPUT)}… [${plain.length} characters]` : plain;
  return [cut, ...kinds.map((kind) => `(${kind})`)].filter((part) => part !== '').join('\n');
}

/** The format stores text as a string or as a list of lines. */
function joined(value: JsonValue | undefined, separator = ''): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string').join(separator) : '';
}
