import { parseJson } from '../base/index.ts';
import type { ModelAnswer, ModelStreamEvent } from '../contracts/index.ts';
import { factsOfErrorText, type FailureFacts } from './failure/error-body.ts';
import { resetOf, retryAfterOf } from './failure/retry-after.ts';
import { asObject } from './json-access.ts';
import type { HttpResponse } from './transport/http-types.ts';
import { readText } from './read-text.ts';
import { createEventReader, createLineReader, type EventReader, type StreamItem } from './transport/server-events.ts';
import type { Framing, RunningDecoder } from './wire-format.ts';

/** A response, or the facts about its failure. */
export type Outcome = { answer: ModelAnswer } | { failure: FailureFacts };

const TOO_MANY = 429;
/** How much of an error response is read; no error message is longer than this. */
const MAX_ERROR_SIZE = 64 * 1024;
/** How long to wait for the usage and the end of the stream after the model has finished. */
const END_TIMEOUT_MS = 5000;
/** Size limit for a response: far larger than any real one, but small enough not to exhaust memory. */
const MAX_ANSWER_SIZE = 64 * 1024 * 1024;

type Emit = (event: ModelStreamEvent) => void;

export type ReadOptions = {
  emit: Emit;
  streamed: boolean;
  framing: Framing;
  createReader?: () => EventReader;
  now: number;
};

/** Reads a complete model response, streamed or not. */
export async function readResponse(
  response: HttpResponse,
  decoder: RunningDecoder,
  options: ReadOptions,
): Promise<Outcome> {
  if (response.status < 200 || response.status > 299) return { failure: await readFailure(response, options.now) };
  const type = response.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  // A server may ignore whether the request asked for a stream.
  const early =
    isJson(type) || (!options.streamed && type !== 'text/event-stream')
      ? await readJsonBody(response, decoder, type, options.emit)
      : await readStream(response, decoder, type, options);
  const failure = early ?? decoder.failure();
  if (failure !== undefined) return { failure };
  const finished = decoder.finish();
  if ('failure' in finished) return finished;
  finished.events.forEach(options.emit);
  return { answer: finished.answer };
}

/** Feeds the events of a stream to the decoder up to the last one. */
async function readStream(
  response: HttpResponse,
  decoder: RunningDecoder,
  type: string,
  { emit, framing, createReader }: ReadOptions,
): Promise<FailureFacts | undefined> {
  if (!canBeStream(type)) return wrongType(response, type);
  const reader = createReader?.() ?? (framing === 'sse' ? createEventReader() : createLineReader());
  let received = 0;
  try {
    for await (const bytes of response.body) {
      received += bytes.byteLength;
      if (received > MAX_ANSWER_SIZE) return tooLarge();
      const items = reader.feed(bytes);
      const size = decoder.contentSize();
      const failure = decodeItems(items, decoder, emit);
      if (decoder.contentSize() > size) response.touchContent();
      if (failure !== undefined || decoder.isTerminal()) return failure;
      // Some servers leave the stream open and send keep-alive comments. Comments are not items, so they do not
      // restart the timeout.
      if (items.length > 0 && decoder.isComplete()) response.endWithin(END_TIMEOUT_MS);
    }
  } catch (error) {
    // If the connection breaks after the model has finished, at most the usage is lost.
    if (!decoder.isComplete()) throw error;
  }
  if (received === 0) return EMPTY;
  return decodeItems(reader.end(), decoder, emit);
}

/** Feeds items to the decoder; an unreadable event makes the response unusable. */
function decodeItems(items: readonly StreamItem[], decoder: RunningDecoder, emit: Emit): FailureFacts | undefined {
  for (const item of items) {
    if ('failure' in item) return item.failure;
    decoder.push(item.event).forEach(emit);
  }
  return undefined;
}

/** Reads a response that is not streamed. */
async function readJsonBody(
  response: HttpResponse,
  decoder: RunningDecoder,
  type: string,
  emit: Emit,
): Promise<FailureFacts | undefined> {
  if (type.startsWith('text/html')) return wrongType(response, type);
  const { text, cut } = await readText(response, MAX_ANSWER_SIZE);
  if (cut) return tooLarge();
  if (text.trim() === '') return EMPTY;
  const body = asObject(parseJson(text));
  if (body === undefined) {
    return { kind: 'invalid_response', message: `The response is not a JSON object: ${text.slice(0, 200)}` };
  }
  const events = decoder.pushBody(body);
  if (events === undefined) {
    return { kind: 'invalid_response', message: `The response has no readable content: ${text.slice(0, 200)}` };
  }
  events.forEach(emit);
  return undefined;
}

const EMPTY: FailureFacts = { kind: 'invalid_response', message: 'The provider sent an empty response.' };

/** Parses a response with an error status. */
async function readFailure(response: HttpResponse, now: number): Promise<FailureFacts> {
  const { status, headers } = response;
  const location = headers.location;
  if (status >= 300 && status < 400 && location !== undefined) {
    const host = URL.parse(location)?.host ?? 'another path of the same host';
    return {
      status,
      message: `The endpoint redirects to ${host}, which is not followed. Set the base URL to the final address.`,
    };
  }
  const { text } = await readText(response, MAX_ERROR_SIZE);
  const facts = { ...factsOfErrorText(text), status };
  if (facts.message === '') facts.message = `The provider responded with HTTP ${status} without a message.`;
  const resets = status === TOO_MANY ? resetOf(headers, now) : undefined;
  const retryAfterMs = retryAfterOf(headers, now) ?? facts.retryAfterMs ?? resets;
  return retryAfterMs === undefined ? facts : { ...facts, retryAfterMs };
}

/** Usually a sign-in page or an error page of a proxy; its title says more than its markup. */
async function wrongType(response: HttpResponse, type: string): Promise<FailureFacts> {
  const { text } = await readText(response, MAX_ERROR_SIZE);
  const said = factsOfErrorText(text).message.slice(0, 200);
  const message = `The endpoint sent ${type} instead of a model response. Check the base URL. ${said}`;
  return { kind: 'invalid_response', codes: type === 'text/html' ? ['web_page'] : [], message };
}

function tooLarge(): FailureFacts {
  return { kind: 'invalid_response', message: 'The response is larger than 64 MB and was discarded.' };
}

function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json');
}

/** Some servers send streams without a content type or with a generic one. */
function canBeStream(type: string): boolean {
  if (type === 'application/vnd.amazon.eventstream') return true;
  return ['', 'text/event-stream', 'text/plain', 'application/octet-stream', 'application/x-ndjson'].includes(type);
}
