import type { IncomingMessage, ServerResponse } from 'node:http';
import { type JsonValue, parseJson } from '../base/index.ts';
import type { Caller } from './api-keys.ts';
import { HttpError } from './http-error.ts';
import { isLoopbackHost, plainAddress } from './origin-check.ts';

/** A request that was routed and passed all checks. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** The values of the parameters of the route, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The caller that the key of the request belongs to; undefined on routes without keys. */
  readonly caller: Caller | undefined;
  readonly clientAddress: string;
  header(name: string): string | undefined;
  /** Reads the body. Throws `HttpError` if it is too large. */
  body(): Promise<Buffer>;
  /** Reads a JSON body. Throws `HttpError` if it is none. */
  json(): Promise<JsonValue>;
  /** Aborted when the client disconnects before the response was sent, and when the server closes. */
  readonly signal: AbortSignal;
}

/** Values of JSON bodies are walked recursively elsewhere. */
const MAX_DEPTH = 100;

export function headerOf(incoming: IncomingMessage, name: string): string | undefined {
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The address of the client. A proxy on this machine says for whom it sends a request. */
export function clientAddressOf(incoming: IncomingMessage): string {
  const peer = plainAddress(incoming.socket.remoteAddress ?? '');
  const forwarded = headerOf(incoming, 'x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return isLoopbackHost(peer) && forwarded !== '' ? plainAddress(forwarded.slice(0, 64)) : peer;
}

export type BodyOptions = {
  maxBytes: number;
  /** The client waits for `100 Continue` before it sends the body. */
  awaitsContinue: boolean;
};

export function createBodyReader(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { maxBytes, awaitsContinue }: BodyOptions,
): Pick<HttpRequest, 'body' | 'json'> {
  let reading: Promise<Buffer> | undefined;
  const body = () => (reading ??= read());

  async function read(): Promise<Buffer> {
    const encoding = headerOf(incoming, 'content-encoding') ?? 'identity';
    if (encoding.toLowerCase() !== 'identity')
      throw new HttpError(415, 'unsupported_encoding', 'Compressed request bodies are not supported.');
    if (Number(headerOf(incoming, 'content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
    if (awaitsContinue) outgoing.writeContinue();
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of incoming) {
      size += (chunk as Buffer).length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks);
  }

  return { body, json: async () => readJson(headerOf(incoming, 'content-type'), body) };
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, 'body_too_large', `The body of the request is larger than ${maxBytes} bytes.`);
}

/** The media type is required: without it, a page of any origin could send JSON in a form. */
async function readJson(mediaType: string | undefined, body: () => Promise<Buffer>): Promise<JsonValue> {
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(mediaType ?? ''))
    throw new HttpError(415, 'not_json', 'The body must be JSON, with the header Content-Type: application/json.');
  const text = decodeUtf8(await body());
  if (text !== undefined && isTooDeep(text))
    throw new HttpError(400, 'invalid_json', `The body is nested more than ${MAX_DEPTH} levels deep.`);
  const value = text === undefined ? undefined : parseJson(text);
  if (value === undefined) throw new HttpError(400, 'invalid_json', 'The body is not valid JSON in UTF-8.');
  return value;
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** In one pass: a pattern for strings would take quadratic time for a string without an end. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isString) {
      if (character === '\\') at += 1;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
