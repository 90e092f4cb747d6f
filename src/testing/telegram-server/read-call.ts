import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';

export type UploadedFile = { name: string; mediaType: string; bytes: Buffer };

/** A call of a method, decoded. */
export type ReceivedCall = {
  method: string;
  parameters: JsonObject;
  files: Readonly<Record<string, UploadedFile>>;
};

const MAX_BODY = 64 * 1024 * 1024;

export async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += (chunk as Buffer).length;
    if (size <= MAX_BODY) chunks.push(chunk as Buffer);
  }
  return size > MAX_BODY ? undefined : Buffer.concat(chunks);
}

/** Decodes the parameters, which Telegram accepts in four formats; undefined if the body is in none of them. */
export function readCall(method: string, query: URLSearchParams, type: string, body: Buffer): ReceivedCall | undefined {
  const parameters = Object.fromEntries([...query].map(([name, value]) => [name, fromText(value)]));
  if (body.length === 0) return { method, parameters, files: {} };
  if (type.startsWith('application/json')) {
    const parsed = parseJson(body.toString('utf8'));
    return isJsonObject(parsed) ? { method, parameters: { ...parameters, ...parsed }, files: {} } : undefined;
  }
  if (type.startsWith('application/x-www-form-urlencoded')) {
    const form = new URLSearchParams(body.toString('utf8'));
    for (const [name, value] of form) parameters[name] = fromText(value);
    return { method, parameters, files: {} };
  }
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(type)?.[1];
  const parts = boundary === undefined ? undefined : readParts(body, boundary);
  if (parts === undefined) return undefined;
  const files: Record<string, UploadedFile> = {};
  for (const { name, fileName, mediaType, bytes } of parts) {
    if (fileName === undefined) parameters[name] = fromText(bytes.toString('utf8'));
    else files[name] = { name: fileName, mediaType, bytes };
  }
  return { method, parameters, files };
}

/** Objects, lists and numbers are written as JSON in forms. A text stays text. */
function fromText(text: string): JsonValue {
  return /^(?:[[{]|-?\d+$|true$|false$)/.test(text) ? (parseJson(text) ?? text) : text;
}

type Part = { name: string; fileName: string | undefined; mediaType: string; bytes: Buffer };

function readParts(body: Buffer, boundary: string): Part[] | undefined {
  const mark = Buffer.from(`--${boundary}`);
  const parts: Part[] = [];
  let at = body.indexOf(mark);
  if (at !== 0) return undefined;
  for (;;) {
    const start = at + mark.length;
    if (body.subarray(start, start + 2).toString() === '--') return parts;
    const head = body.indexOf('\r\n\r\n', start);
    const end = body.indexOf(Buffer.concat([Buffer.from('\r\n'), mark]), head);
    if (head < 0 || end < 0) return undefined;
    const part = readPart(body.subarray(start + 2, head).toString('utf8'), body.subarray(head + 4, end));
    if (part === undefined) return undefined;
    parts.push(part);
    at = end + 2;
  }
}

function readPart(headers: string, bytes: Buffer): Part | undefined {
  const disposition = /^content-disposition: *form-data;(.*)$/im.exec(headers)?.[1] ?? '';
  const name = /\bname="?([^";]+)"?/.exec(disposition)?.[1];
  if (name === undefined) return undefined;
  const fileName = /\bfilename="?([^";]*)"?/.exec(disposition)?.[1];
  const mediaType = /^content-type: *(\S+)/im.exec(headers)?.[1] ?? 'application/octet-stream';
  return { name, fileName, mediaType, bytes };
}
