import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../base/index.ts';

export type FormFile = { field: string; name: string; mediaType: string; bytes: Uint8Array };

/** Encodes a call with a file as `multipart/form-data`. */
export function encodeForm(parameters: JsonObject, file: FormFile): { content: Uint8Array; type: string } {
  const boundary = `hermes-${randomUUID()}`;
  const fields = Object.entries(parameters).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
  });
  const head =
    `--${boundary}\r\ncontent-disposition: form-data; name="${file.field}"; filename="${quote(file.name)}"\r\n` +
    `content-type: ${singleLine(file.mediaType)}\r\n\r\n`;
  const content = Buffer.concat([
    Buffer.from(fields.join('') + head),
    file.bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { content, type: `multipart/form-data; boundary=${boundary}` };
}

/** As browsers do it: a name must not end the header or add another one. */
function quote(name: string): string {
  return name.toWellFormed().replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function singleLine(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '');
}
