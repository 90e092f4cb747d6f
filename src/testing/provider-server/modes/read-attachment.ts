import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import type { ReceivedAttachment } from '../wire.ts';

const KINDS: Readonly<Record<string, ReceivedAttachment['kind']>> = {
  image: 'image',
  image_url: 'image',
  input_image: 'image',
  document: 'document',
  file: 'document',
  input_file: 'document',
};

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** An image or a file in the form of any API mode; undefined for a part that is none. */
export function readAttachment(part: JsonObject, place: string, faults: string[]): ReceivedAttachment | undefined {
  const kind = KINDS[textOf(part.type)];
  if (kind === undefined) return undefined;
  const file = isJsonObject(part.file) ? part.file : part;
  const name = textOf(file.filename ?? part.title);
  const { mediaType, base64 } = isJsonObject(part.source) ? readSource(part.source) : readDataUrl(urlOf(part, file));
  return checked({ kind, mediaType, name, bytes: readBase64(base64, place, faults) }, place, faults);
}

/** Ollama's images say nothing about themselves. */
export function readBareImage(value: JsonValue, place: string, faults: string[]): ReceivedAttachment {
  return { kind: 'image', mediaType: '', name: '', bytes: readBase64(textOf(value), place, faults) };
}

function checked(attachment: ReceivedAttachment, place: string, faults: string[]): ReceivedAttachment {
  const { kind, mediaType } = attachment;
  const allowed = kind === 'image' ? IMAGES : ['application/pdf'];
  if (!allowed.includes(mediaType)) faults.push(`${place}: the media type "${mediaType}" is not taken for this part`);
  return attachment;
}

function readSource(source: JsonObject): { mediaType: string; base64: string } {
  return { mediaType: textOf(source.media_type), base64: source.type === 'base64' ? textOf(source.data) : '' };
}

function urlOf(part: JsonObject, file: JsonObject): string {
  if (isJsonObject(part.image_url)) return textOf(part.image_url.url);
  return textOf(part.image_url ?? file.file_data);
}

function readDataUrl(url: string): { mediaType: string; base64: string } {
  const comma = url.indexOf(';base64,');
  if (!url.startsWith('data:') || comma < 0) return { mediaType: '', base64: '' };
  return { mediaType: url.slice('data:'.length, comma), base64: url.slice(comma + ';base64,'.length) };
}

function readBase64(text: string, place: string, faults: string[]): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (text === '' || bytes.toString('base64') !== text) faults.push(`${place}: the data is not base64`);
  return bytes;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
