import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import { HttpError } from '../../../http/index.ts';

/** An image or a file as a client sent it: its content as a data URL, or where to fetch it. */
export type FileSource = { url: string; name: string | undefined };

/** An item of the input of a request. Reasoning items are left out: they are for the model that wrote them. */
export type InputEntry =
  | { kind: 'user'; text: string; files: FileSource[] }
  | { kind: 'assistant'; text: string }
  /** A message of the roles `system` and `developer`. */
  | { kind: 'instructions'; text: string }
  | { kind: 'call'; callId: string; name: string; arguments: string }
  | { kind: 'output'; callId: string; text: string; files: FileSource[] }
  /** An item that the server knows. */
  | { kind: 'reference'; id: string };

const MAX_ITEMS = 5000;
const MAX_PARTS = 1000;

/** Reads `input` or `items`. Throws `HttpError` if it has another shape. `name` is the field in messages. */
export function readInput(input: JsonValue | undefined, name = 'input'): InputEntry[] {
  if (typeof input === 'string') return [{ kind: 'user', text: input, files: [] }];
  if (!Array.isArray(input)) throw invalid(name, 'a text or a list of items');
  if (input.length > MAX_ITEMS) throw invalid(name, `a list of at most ${MAX_ITEMS} items`);
  return input.flatMap((item, index) => readItem(item, `${name}[${index}]`));
}

function readItem(item: JsonValue, at: string): InputEntry[] {
  if (!isJsonObject(item)) throw invalid(at, 'an object');
  const type = item['type'] ?? (item['role'] === undefined ? 'item_reference' : 'message');
  switch (type) {
    case 'message':
      return [readMessage(item, at)];
    case 'function_call': {
      const [callId, name] = [readText(item, 'call_id', at), readText(item, 'name', at)];
      return [{ kind: 'call', callId, name, arguments: readText(item, 'arguments', at) }];
    }
    case 'function_call_output':
      return [
        { kind: 'output', callId: readText(item, 'call_id', at), ...readContent(item['output'], `${at}.output`) },
      ];
    case 'item_reference':
      return [{ kind: 'reference', id: readText(item, 'id', at) }];
    case 'reasoning':
      return [];
    default:
      throw invalid(
        `${at}.type`,
        '`message`, `function_call`, `function_call_output`, `reasoning` or `item_reference`',
      );
  }
}

function readMessage(item: JsonObject, at: string): InputEntry {
  const { text, files } = readContent(item['content'], `${at}.content`);
  switch (item['role']) {
    case 'user':
      return { kind: 'user', text, files };
    case 'assistant':
      return { kind: 'assistant', text };
    case 'system':
    case 'developer':
      return { kind: 'instructions', text };
    default:
      throw invalid(`${at}.role`, '`user`, `assistant`, `system` or `developer`');
  }
}

type Content = { text: string; files: FileSource[] };

function readContent(content: JsonValue | undefined, at: string): Content {
  if (typeof content === 'string') return { text: content, files: [] };
  if (!Array.isArray(content)) throw invalid(at, 'a text or a list of parts');
  if (content.length > MAX_PARTS) throw invalid(at, `a list of at most ${MAX_PARTS} parts`);
  const texts: string[] = [];
  const files: FileSource[] = [];
  for (const [index, part] of content.entries()) {
    const read = readPart(part, `${at}[${index}]`);
    if (typeof read === 'string') texts.push(read);
    else files.push(read);
  }
  return { text: texts.join('\n'), files };
}

function readPart(part: JsonValue, at: string): string | FileSource {
  if (typeof part === 'string') return part;
  if (!isJsonObject(part)) throw invalid(at, 'an object');
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return readText(part, 'text', at);
    case 'refusal':
      return readText(part, 'refusal', at);
    case 'input_image':
      return { url: readUrl(part, 'image_url', at), name: undefined };
    case 'input_file':
      return readFilePart(part, at);
    default:
      throw invalid(`${at}.type`, '`input_text`, `input_image` or `input_file`');
  }
}

function readFilePart(part: JsonObject, at: string): FileSource {
  const { file_data: data, filename } = part;
  const name = typeof filename === 'string' ? filename : undefined;
  if (typeof data !== 'string') return { url: readUrl(part, 'file_url', at), name };
  // Some clients send the base64 text alone.
  return { url: data.startsWith('data:') ? data : `data:application/octet-stream;base64,${data}`, name };
}

function readUrl(part: JsonObject, key: 'image_url' | 'file_url', at: string): string {
  const url = part[key];
  if (typeof url === 'string' && url !== '') return url;
  if (typeof part['file_id'] === 'string')
    throw new HttpError(
      400,
      'unsupported_value',
      `\`${at}.file_id\`: files cannot be uploaded. Send a data URL instead.`,
    );
  throw invalid(`${at}.${key}`, 'a data URL or an https URL');
}

function readText(item: JsonObject, key: string, at: string): string {
  const value = item[key];
  if (typeof value !== 'string') throw invalid(`${at}.${key}`, 'a text');
  return value;
}

export function invalid(field: string, expected: string): HttpError {
  return new HttpError(400, 'invalid_value', `\`${field}\` must be ${expected}.`);
}
