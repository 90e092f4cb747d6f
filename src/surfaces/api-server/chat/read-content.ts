import { basename } from 'node:path';
import {
  type AttachedFile,
  ATTACHMENT_LIMITS,
  errorMessage,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../base/index.ts';
import { safeFetch } from '../../../tools/safe-fetch/index.ts';
import { describeUnsupportedType, detectFileType } from '../../../util/index.ts';
import { invalid } from '../read-fields.ts';

/** An image or a file of a message: its bytes, or the address to fetch it from. */
export type FileSource = { name: string; field: string } & ({ dataUrl: string } | { url: string });

export type ReadContent = { text: string; files: readonly FileSource[] };

const MAX_PARTS = 1000;

/**
 * Reads the content of a message: text, or a list of text, image and file parts in the forms of chat completions and of
 * the Responses API. `field` is its name in errors, such as `messages.0.content`.
 */
export function readContent(content: JsonValue | undefined, field: string): ReadContent {
  if (content === null || content === undefined) return { text: '', files: [] };
  if (typeof content === 'string') return { text: content, files: [] };
  if (!Array.isArray(content)) throw invalid(field, 'must be text or a list of parts');
  if (content.length > MAX_PARTS) throw invalid(field, `has more than ${MAX_PARTS} parts`);
  const parts = content.map((part, index) => readPart(part, `${field}.${index}`));
  return {
    text: parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n'),
    files: parts.flatMap((part) => ('text' in part ? [] : [part])),
  };
}

function readPart(part: JsonValue, field: string): { text: string } | FileSource {
  if (typeof part === 'string') return { text: part };
  if (!isJsonObject(part)) throw invalid(field, 'must be an object');
  const { type } = part;
  if (type === 'text' || type === 'input_text' || type === 'output_text' || type === 'refusal') {
    const text = part['text'] ?? part['refusal'];
    if (typeof text !== 'string') throw invalid(`${field}.text`, 'must be text');
    return { text };
  }
  if (type === 'image_url' || type === 'input_image') return readImage(part, field);
  if (type === 'file' || type === 'input_file') return readFile(part, field);
  throw invalid(`${field}.type`, `is ${JSON.stringify(type)}; text, images and files are supported`);
}

function readImage(part: JsonObject, field: string): FileSource {
  const given = part['image_url'];
  const url = isJsonObject(given) ? given['url'] : given;
  if (typeof url !== 'string') throw invalid(`${field}.image_url`, 'must be a URL');
  return toSource(url, 'image', `${field}.image_url`);
}

function readFile(part: JsonObject, field: string): FileSource {
  const file = isJsonObject(part['file']) ? part['file'] : part;
  const { filename, file_data: data, file_url: url } = file;
  const name = typeof filename === 'string' && filename !== '' ? basename(filename) : 'file';
  if (typeof data === 'string') {
    // Some clients send the bytes in Base64 without the prefix of a data URL.
    const dataUrl = data.startsWith('data:') ? data : `data:application/octet-stream;base64,${data}`;
    return { name, field, dataUrl };
  }
  if (typeof url === 'string') return toSource(url, name, field);
  throw invalid(field, 'needs `file_data` or `file_url`; files cannot be uploaded beforehand');
}

function toSource(url: string, name: string, field: string): FileSource {
  if (url.startsWith('data:')) return { name, field, dataUrl: url };
  const parsed = URL.parse(url);
  if (parsed !== null && /^https?:$/.test(parsed.protocol))
    return { name: basename(parsed.pathname) || name, field, url };
  throw invalid(field, 'must be an http, https or data URL');
}

export type FetchRules = { allowPrivate: boolean; signal: AbortSignal };

/** Loads the files of a message. A file that cannot be attached is an error: the request would be about something else. */
export async function loadFiles(sources: readonly FileSource[], rules: FetchRules): Promise<AttachedFile[]> {
  if (sources.length > ATTACHMENT_LIMITS.count)
    throw invalid(sources[0]?.field ?? 'messages', `has more than ${ATTACHMENT_LIMITS.count} images and files`);
  const files: AttachedFile[] = [];
  let left: number = ATTACHMENT_LIMITS.bytes;
  for (const source of sources) {
    const bytes = 'dataUrl' in source ? decode(source.dataUrl, source.field) : await download(source, rules);
    left -= bytes.length;
    if (left < 0)
      throw invalid(source.field, `exceeds ${ATTACHMENT_LIMITS.bytes / 1_000_000} MB with the files before it`);
    const type = detectFileType(bytes);
    if (type === undefined)
      throw invalid(source.field, `is ${describeUnsupportedType(bytes) ?? 'neither an image nor a PDF file'}`);
    files.push({ ...type, name: nameOf(source, type.mediaType), bytes });
  }
  return files;
}

function nameOf({ name }: FileSource, mediaType: string): string {
  return name.includes('.') ? name : `${name}.${mediaType.split('/')[1] ?? 'bin'}`;
}

function decode(dataUrl: string, field: string): Uint8Array {
  const [, encoding = '', data = ''] = /^data:[^,;]*(?:;[^,;]*)*?(;base64)?,(.*)$/is.exec(dataUrl) ?? [];
  if (encoding === '' || !/^[\w+/=\s-]+$/.test(data)) throw invalid(field, 'is not a data URL in Base64');
  return Buffer.from(data, 'base64');
}

async function download(
  { url, field }: { url: string; field: string },
  { allowPrivate, signal }: FetchRules,
): Promise<Uint8Array> {
  try {
    const page = await safeFetch(url, { allowPrivate, signal, maxBytes: ATTACHMENT_LIMITS.bytes });
    if (page.status >= 400) throw new Error(`the server returned status ${page.status}`);
    if (page.cut) throw new Error(`it is larger than ${ATTACHMENT_LIMITS.bytes / 1_000_000} MB`);
    return page.body;
  } catch (thrown) {
    signal.throwIfAborted();
    throw invalid(field, `could not be loaded: ${errorMessage(thrown)}`);
  }
}
