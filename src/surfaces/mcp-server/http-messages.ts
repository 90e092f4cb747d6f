import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { HttpRequest, HttpResponse } from '../../http/index.ts';
import type { McpKey } from './served-parts.ts';
import type { McpHttpRequest, McpHttpResponse } from './mcp-server-protocol.ts';

/** The headers that the protocol reads. */
const HEADERS = [
  'accept',
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
];
/** Set by the server itself. */
const OWN_HEADERS = ['content-type', 'content-length', 'cache-control', 'connection', 'x-accel-buffering'];

export async function toMcpRequest(request: HttpRequest, key: McpKey): Promise<McpHttpRequest> {
  const { method, path, signal } = request;
  const headers = HEADERS.flatMap((name) => {
    const value = request.header(name);
    return value === undefined ? [] : [[name, value]];
  });
  return {
    // The host was checked already and means nothing to the protocol.
    url: `http://localhost${path}`,
    method,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: method === 'POST' ? await request.json() : undefined,
    caller: { actor: { id: `api:${key.name}`, role: key.isOwner ? 'owner' : 'user', name: key.name }, key },
    signal,
  };
}

/** A stream of events stays one: the server sends it with its own keep-alive. */
export async function toHttpResponse({ status, headers: all, body }: McpHttpResponse): Promise<HttpResponse> {
  const headers = Object.fromEntries(Object.entries(all).filter(([name]) => !OWN_HEADERS.includes(name)));
  if (body === null) return { status, headers, empty: true };
  const mediaType = all['content-type'] ?? 'application/json';
  if (mediaType.startsWith('text/event-stream')) return { status, headers, events: readEvents(body) };
  return { status, headers, bytes: await new Response(body).text(), mediaType };
}

async function* readEvents(body: NonNullable<McpHttpResponse['body']>) {
  let events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => void events.push(event) });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    const found = events;
    events = [];
    for (const { data, event, id } of found)
      yield { data, ...(event !== undefined && { event }), ...(id !== undefined && { id }) };
  }
}
