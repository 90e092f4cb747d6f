import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { safeFetch } from '../../tools/safe-fetch/index.ts';
import { looksLikeKey } from '../../util/index.ts';

/** Without a body it is a plain question. */
export type ServiceRequest = { path: string; headers?: Record<string, string>; body?: JsonObject | FormData };

/** What is to be known of a service, beside how it is asked and how it answers. */
export type AskedService = {
  name: string;
  /** Its usual address. */
  url: string;
  /** That is an address of this machine. */
  isLocal?: boolean;
  /** What to do where it refuses, if that is not a matter of the key. */
  onRefusal?: string;
};

type AskOptions = { signal: AbortSignal; timeoutMs?: number; maxBytes?: number };

/** An image of four million pixels in base64, and some more. */
const MOST_BYTES = 40 * 1024 * 1024;
const TIMEOUT_MS = 180_000;
/** The first is the one among the good ones that comes without an answer. */
const REFUSALS = [202, 401, 402, 403];
/** How services name their rules where a text is against them. */
const AGAINST_RULES = /polic|safety|moderat|nsfw|sensitive/i;

/** Hands a request to a service, and gives back what it answered; whatever is no answer is a failure with a reason. */
export async function askService(
  service: AskedService,
  { url: written }: { url?: string | undefined },
  { path, headers, body }: ServiceRequest,
  { signal, timeoutMs = TIMEOUT_MS, maxBytes = MOST_BYTES }: AskOptions,
): Promise<Uint8Array> {
  const { name, url: usual, isLocal = false } = service;
  const base = (written ?? usual).replace(/\/+$/, '');
  const sent = body && (await encoded(body));
  const answer = await safeFetch(base + path, {
    signal,
    ...(sent && { method: 'POST', body: sent.body }),
    timeoutMs,
    maxBytes,
    // The person wrote the address, and a service of one's own mostly runs on this machine or near it.
    ownServer: isLocal || written !== undefined,
    // The address is made here: models and voices are named in it, and one service takes its key in no other place.
    mayHoldKey: true,
    headers: { accept: '*/*', 'user-agent': 'hermes-agent', ...(sent && { 'content-type': sent.type }), ...headers },
  });
  refuseFailure(service, answer.status, answer.body);
  if (answer.cut) throw new ToolFailure(`${name} answered with more than ${maxBytes / 1024 / 1024} MB.`);
  return answer.body;
}

/** Files go as a form, whose type names the line that divides its parts. */
async function encoded(body: JsonObject | FormData): Promise<{ body: string | Uint8Array; type: string }> {
  if (!(body instanceof FormData)) return { body: JSON.stringify(body), type: 'application/json' };
  const form = new Response(body);
  const type = form.headers.get('content-type') ?? 'multipart/form-data';
  return { body: new Uint8Array(await form.arrayBuffer()), type };
}

/** The answer itself is not shown: it may repeat what was sent, and so the key. */
function refuseFailure({ name, onRefusal }: AskedService, status: number, body: Uint8Array): void {
  const refused = REFUSALS.includes(status);
  if (status >= 200 && status < 300 && !refused) return;
  const todo = (refused && onRefusal) || whatToDo(status, body);
  throw new ToolFailure(`${name} answered with status ${status}. ${todo}`);
}

function whatToDo(status: number, body: Uint8Array): string {
  if ([401, 402, 403].includes(status)) return 'Its key is missing, wrong or used up; the user has to set another.';
  if (status === 404)
    return 'It does not know the model, or its address is wrong; the user has to look at the settings.';
  if (status === 429) return 'There were too many requests, or the account is used up; wait, or go on without it.';
  if (status >= 500 || status === 202) return 'Try again later.';
  const against = AGAINST_RULES.test(new TextDecoder().decode(body.subarray(0, 10_000)));
  return against ? 'The text is against its rules; word it otherwise.' : 'It did not accept the request.';
}

/** The header that has the key; a server of one's own may need none. */
export function keyHeader(name: string, key: string | undefined, before = ''): Record<string, string> {
  return key === undefined ? {} : { [name]: before + key };
}

export function bearer(key: string | undefined): Record<string, string> {
  return keyHeader('authorization', key, 'Bearer ');
}

/** What is sent to a service leaves this machine for good. */
export function refuseKeys(text: string): void {
  if (text.split(/\s+/).some(looksLikeKey)) {
    throw new ToolFailure('The text has a key or token in it, which is nothing for a service. Leave it out.');
  }
}

// What services answer is taken as it comes: each of these gives undefined where the form is another one.

export function answerOf(body: string | Uint8Array): JsonObject | undefined {
  return asObject(parseJson(typeof body === 'string' ? body : new TextDecoder().decode(body)));
}

export function valueIn(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}

export function objectIn(value: JsonValue | undefined, key: string): JsonObject | undefined {
  return asObject(valueIn(value, key));
}

export function firstOf(list: JsonValue | undefined): JsonObject | undefined {
  return Array.isArray(list) ? asObject(list[0]) : undefined;
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
