import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { JsonObject } from '../../base/index.ts';
import type { ApiMode } from '../../contracts/index.ts';
import { WIRE_MODES } from './modes/index.ts';
import type { ProviderServer } from './provider-server.ts';

/** The received data, up to the end or the failure of the connection. */
export type Observed = { status: number; headers: IncomingHttpHeaders; body: string; broken: string | undefined };

const MESSAGES = [{ role: 'user', content: 'hello' }];

/** The smallest valid request of each API mode. */
export const MINIMAL_REQUESTS: Record<ApiMode, JsonObject> = {
  chat_completions: { model: 'm', messages: MESSAGES },
  codex_responses: { model: 'm', input: [{ type: 'message', role: 'user', content: 'hello' }] },
  anthropic_messages: { model: 'm', max_tokens: 10, messages: MESSAGES },
  ollama_chat: { model: 'm', stream: false, messages: MESSAGES },
};

export type CallOptions = {
  signal?: AbortSignal;
  agent?: Agent;
  onData?: (bodySoFar: string) => void;
  onHeaders?: () => void;
};

/** A minimal HTTP client, so that tests see the bytes on the wire. */
export function call(
  server: ProviderServer,
  apiMode: ApiMode,
  body: JsonObject | string,
  options: CallOptions = {},
): Promise<Observed> {
  const url = `${server.url}${apiMode === 'ollama_chat' ? '' : '/v1'}${WIRE_MODES[apiMode].pathEnd}`;
  const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
  const { signal, agent = false } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers, agent, ...(signal ? { signal } : {}) });
    let observed: Observed | undefined;
    const fail = (error: NodeJS.ErrnoException) => {
      if (observed === undefined) reject(error);
      else resolve({ ...observed, broken: error.code ?? error.name });
    };
    outgoing.on('error', fail);
    outgoing.once('response', (incoming) => {
      observed = observe(incoming, options, fail);
      incoming.once('end', () => resolve(observed as Observed));
      options.onHeaders?.();
    });
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

function observe(incoming: IncomingMessage, options: CallOptions, fail: (error: Error) => void): Observed {
  const observed = { status: incoming.statusCode ?? 0, headers: incoming.headers, body: '', broken: undefined };
  incoming.setEncoding('utf8').on('data', (text: string) => {
    observed.body += text;
    options.onData?.(observed.body);
  });
  incoming.on('error', fail);
  return observed;
}

/** The events of a stream in either framing; data that is not JSON stays text. */
export function parseEvents(body: string): { event: string | undefined; data: unknown }[] {
  if (body.startsWith('{')) return parseLines(body);
  return body
    .split('\n\n')
    .filter((block) => block.trim() !== '')
    .map((block) => {
      const lines = block.split('\n');
      const data = lines.find((line) => line.startsWith('data: '))?.slice(6) ?? '';
      return { event: lines.find((line) => line.startsWith('event: '))?.slice(7), data: parseOrKeep(data) };
    });
}

function parseLines(body: string): { event: undefined; data: unknown }[] {
  const lines = body.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => ({ event: undefined, data: parseOrKeep(line) }));
}

function parseOrKeep(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
