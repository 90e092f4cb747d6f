import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { safeFetch } from '../../tools/safe-fetch/index.ts';
import { hasKnownSecret, looksLikeKey } from '../../util/index.ts';

/** Sent with GET if there is no body. */
export type ServiceRequest = { path: string; headers?: Record<string, string>; body?: JsonObject | FormData };

/** A service, without its request and response formats. */
export type ServiceInfo = {
  name: string;
  /** Default base URL. */
  url: string;
  /** Whether the default URL is on this machine. */
  isLocal?: boolean;
  /** Advice after a refusal that is not about the API key. */
  onRefusal?: string;
};

type AskOptions = { signal: AbortSignal; timeoutMs?: number; maxBytes?: number };

/** Enough for an image of four megapixels in base64. */
const MAX_BYTES = 40 * 1024 * 1024;
const TIMEOUT_MS = 180_000;
/** Status codes that count as a refusal. 202 is one of them, because it comes without a result. */
const REFUSALS = [202, 401, 402, 403];
/** Words in error bodies that mean a content policy violation. */
const POLICY_VIOLATION = /polic|safety|moderat|nsfw|sensitive/i;

/** Sends a request to a service and returns the response body. Throws a `ToolFailure` if the request fails. */
export async function callService(
  service: ServiceInfo,
  { url: written }: { url?: string | undefined },
  { path, headers, body }: ServiceRequest,
  { signal, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES }: AskOptions,
): Promise<Uint8Array> {
  const { name, url: usual, isLocal = false } = service;
  const base = (written ?? usual).replace(/\/+$/, '');
  const sent = body && (await encoded(body));
  const answer = await safeFetch(base + path, {
    signal,
    ...(sent && { method: 'POST', body: sent.body }),
    timeoutMs,
    maxBytes,
    // The user configured this URL, and self-hosted services often run on this machine or network.
    ownServer: isLocal || written !== undefined,
    // We build this URL ourselves, and one service accepts its API key only as a query parameter.
    mayHoldKey: true,
    headers: { accept: '*/*', 'user-agent': 'hermes-agent', ...(sent && { 'content-type': sent.type }), ...headers },
  });
  refuseFailure(service, answer.status, answer.body);
  if (answer.cut) throw new ToolFailure(`The response of ${name} exceeds ${maxBytes / 1024 / 1024} MB.`);
  return answer.body;
}

/** Files are sent as multipart form data, whose content type contains the boundary. */
async function encoded(body: JsonObject | FormData): Promise<{ body: string | Uint8Array; type: string }> {
  if (!(body instanceof FormData)) return { body: JSON.stringify(body), type: 'application/json' };
  const form = new Response(body);
  const type = form.headers.get('content-type') ?? 'multipart/form-data';
  return { body: new Uint8Array(await form.arrayBuffer()), type };
}

/** The response body is not shown, because it may echo the request and with it the API key. */
function refuseFailure({ name, onRefusal }: ServiceInfo, status: number, body: Uint8Array): void {
  const refused = REFUSALS.includes(status);
  if (status >= 200 && status < 300 && !refused) return;
  const todo = (refused && onRefusal) || adviseOnStatus(status, body);
  throw new ToolFailure(`${name} returned status ${status}. ${todo}`);
}

function adviseOnStatus(status: number, body: Uint8Array): string {
  if ([401, 402, 403].includes(status))
    return 'The API key is missing, invalid or out of credit; the user has to set another key.';
  if (status === 404) return 'The model is unknown or the base URL is wrong; the user has to check the settings.';
  if (status === 429) return 'The rate limit or quota is exceeded. Wait, or continue without this service.';
  if (status >= 500 || status === 202) return 'Try again later.';
  const against = POLICY_VIOLATION.test(new TextDecoder().decode(body.subarray(0, 10_000)));
  return against
    ? 'The text violates the content policy of the service. Rephrase the text.'
    : 'The service rejected the request.';
}

/** The header with the API key, if there is one: self-hosted servers may not need it. */
export function keyHeader(name: string, key: string | undefined, before = ''): Record<string, string> {
  return key === undefined ? {} : { [name]: before + key };
}

export function bearer(key: string | undefined): Record<string, string> {
  return keyHeader('authorization', key, 'Bearer ');
}

/** Refuses texts with credentials, because a text sent to a service cannot be recalled. */
export function refuseCredentials(text: string): void {
  if (text.split(/\s+/).some(looksLikeKey) || hasKnownSecret(text)) {
    throw new ToolFailure(
      'The text contains a key or token, so it was not sent. Remove the key or token and try again.',
    );
  }
}

// The following functions return undefined if the response does not have the expected shape.

export function parseBody(body: string | Uint8Array): JsonObject | undefined {
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
