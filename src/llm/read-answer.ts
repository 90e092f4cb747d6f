import { parseJson } from '../base/index.ts';
import type { ModelAnswer, ModelStreamEvent } from '../contracts/index.ts';
import { factsOfErrorText, type FailureFacts } from './failure/error-body.ts';
import { resetOf, retryAfterOf } from './failure/retry-after.ts';
import { asObject } from './json-access.ts';
import type { HttpResponse } from './transport/http-types.ts';
import { readText } from './request-text.ts';
import { createEventReader, createLineReader, type StreamItem } from './transport/server-events.ts';
import type { Framing, RunningDecoder } from './wire-format.ts';

/** An answer, or the facts about why there is none. */
export type Outcome = { answer: ModelAnswer } | { failure: FailureFacts };

const TOO_MANY = 429;
/** More words than this no error needs. */
const MAX_ERROR_SIZE = 64 * 1024;
/** How long to wait, after the model has finished, for what may still come: the usage, and the end of the stream. */
const LAST_WORDS_MS = 5000;
/** Far above any answer; below what would hurt the process. */
const MAX_ANSWER_SIZE = 64 * 1024 * 1024;

type Emit = (event: ModelStreamEvent) => void;

export type ReadOptions = { emit: Emit; streamed: boolean; framing: Framing; now: number };

/** Reads a whole answer out of a response, in whichever form it comes. */
export async function readAnswer(
  response: HttpResponse,
  decoder: RunningDecoder,
  options: ReadOptions,
): Promise<Outcome> {
  if (response.status < 200 || response.status > 299) return { failure: await readFailure(response, options.now) };
  const type = response.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  // A server may answer a streaming request in one piece, and the other way round.
  const early =
    isJson(type) || (!options.streamed && type !== 'text/event-stream')
      ? await readWhole(response, decoder, type, options.emit)
      : await readStream(response, decoder, type, options);
  const failure = early ?? decoder.failure();
  if (failure !== undefined) return { failure };
  const finished = decoder.finish();
  if ('failure' in finished) return finished;
  finished.events.forEach(options.emit);
  return { answer: finished.answer };
}

/** Feeds the events of a stream to the decoder until one of them is the last. */
async function readStream(
  response: HttpResponse,
  decoder: RunningDecoder,
  type: string,
  { emit, framing }: ReadOptions,
): Promise<FailureFacts | undefined> {
  if (!canBeStream(type)) return wrongType(response, type);
  const reader = framing === 'sse' ? createEventReader() : createLineReader();
  let received = 0;
  try {
    for await (const bytes of response.body) {
      received += bytes.byteLength;
      if (received > MAX_ANSWER_SIZE) return tooLarge();
      const items = reader.feed(bytes);
      const failure = takeItems(items, decoder, emit);
      if (failure !== undefined || decoder.isTerminal()) return failure;
      // Some servers leave the stream open and keep it alive with comments, which are no items.
      if (items.length > 0 && decoder.isWhole()) response.endWithin(LAST_WORDS_MS);
    }
  } catch (error) {
    // A connection that breaks after the model has finished took nothing with it, except perhaps the usage.
    if (!decoder.isWhole()) throw error;
  }
  if (received === 0) return EMPTY;
  return takeItems(reader.end(), decoder, emit);
}

/** Gives the decoder what came; an event that cannot be read makes the rest worthless. */
function takeItems(items: readonly StreamItem[], decoder: RunningDecoder, emit: Emit): FailureFacts | undefined {
  for (const item of items) {
    if ('failure' in item) return item.failure;
    decoder.push(item.event).forEach(emit);
  }
  return undefined;
}

/** Reads an answer in one piece. */
async function readWhole(
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
    return { kind: 'invalid_response', message: `The answer is not a JSON object: ${text.slice(0, 200)}` };
  }
  const events = decoder.pushWhole(body);
  if (events === undefined) {
    return { kind: 'invalid_response', message: `The answer has no content that can be read: ${text.slice(0, 200)}` };
  }
  events.forEach(emit);
  return undefined;
}

const EMPTY: FailureFacts = { kind: 'invalid_response', message: 'The provider answered with an empty body.' };

/** What a response with another status than success says. */
async function readFailure(response: HttpResponse, now: number): Promise<FailureFacts> {
  const { status, headers } = response;
  const location = headers.location;
  if (status >= 300 && status < 400 && location !== undefined) {
    const host = URL.parse(location)?.host ?? 'another path of the same host';
    return {
      status,
      message: `The endpoint redirects to ${host}, which is not followed; set the base URL to the right place.`,
    };
  }
  const { text } = await readText(response, MAX_ERROR_SIZE);
  const facts = { ...factsOfErrorText(text), status };
  if (facts.message === '') facts.message = `The provider answered with HTTP ${status} without a reason.`;
  const resets = status === TOO_MANY ? resetOf(headers, now) : undefined;
  const retryAfterMs = retryAfterOf(headers, now) ?? facts.retryAfterMs ?? resets;
  return retryAfterMs === undefined ? facts : { ...facts, retryAfterMs };
}

/** Mostly a login page or a proxy's notice: its title tells more than its markup. */
async function wrongType(response: HttpResponse, type: string): Promise<FailureFacts> {
  const { text } = await readText(response, MAX_ERROR_SIZE);
  const said = factsOfErrorText(text).message.slice(0, 200);
  const message = `The endpoint answered with ${type} where a model's answer belongs; check the base URL. ${said}`;
  return { kind: 'invalid_response', codes: type === 'text/html' ? ['web_page'] : [], message };
}

function tooLarge(): FailureFacts {
  return { kind: 'invalid_response', message: 'The answer is larger than 64 MB; reading was given up.' };
}

function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json');
}

/** Streams are sometimes sent without a type, or under a general one. */
function canBeStream(type: string): boolean {
  return ['', 'text/event-stream', 'text/plain', 'application/octet-stream', 'application/x-ndjson'].includes(type);
}
