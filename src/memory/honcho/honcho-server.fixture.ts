import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject, JsonValue } from '../../base/index.ts';

export type HonchoRequest = { method: string; path: string; authorization: string | undefined; body: JsonObject };

type Workspace = { peers: Set<string>; sessions: Map<string, JsonObject[]>; card: string[] };
type Answer = [status: number, value: JsonValue];

const NOT_FOUND: Answer = [404, { detail: 'Not Found' }];
const textAt = (value: JsonObject, key: string) => (typeof value[key] === 'string' ? value[key] : '');

function answerFor(workspaces: Map<string, Workspace>, { method, path, body }: HonchoRequest): Answer {
  const url = new URL(path, 'http://honcho');
  const [version, root, id = '', kind, name = '', action] = url.pathname.slice(1).split('/');
  const made = textAt(body, 'id');
  if (version !== 'v3' || root !== 'workspaces') return NOT_FOUND;
  if (id === '') {
    if (!workspaces.has(made)) workspaces.set(made, { peers: new Set(), sessions: new Map(), card: [] });
    return [201, { id: made }];
  }
  const workspace = workspaces.get(id);
  if (workspace === undefined) return NOT_FOUND;
  if (name === '') {
    if (kind === 'peers') workspace.peers.add(made);
    else workspace.sessions.set(made, workspace.sessions.get(made) ?? []);
    return [201, { id: made }];
  }
  if (kind === 'peers') return answerOfPeer(workspace, name, action, url.searchParams, body);
  const messages = workspace.sessions.get(name);
  if (messages === undefined || action !== 'messages' || method !== 'POST') return NOT_FOUND;
  messages.push(...(body['messages'] as JsonObject[]));
  return [201, []];
}

function answerOfPeer(
  { sessions, card }: Workspace,
  peer: string,
  action: string | undefined,
  search: URLSearchParams,
  body: JsonObject,
): Answer {
  const said = [...sessions.values()].flat().filter((message) => message['peer_id'] === peer);
  const lines = said.map((message) => textAt(message, 'content'));
  if (action === 'card') return [200, { peer_card: card }];
  if (action === 'chat') return [200, { content: `You asked: ${textAt(body, 'query')}. ${lines.join(' ')}` }];
  if (action !== 'context') return NOT_FOUND;
  const words = (search.get('search_query') ?? '').toLowerCase().split(/\W+/);
  const known = lines.filter((line) => words.some((word) => word !== '' && line.toLowerCase().includes(word)));
  return [200, { peer_id: peer, target_id: peer, representation: known.join('\n'), peer_card: card }];
}

/** A minimal Honcho server. It stores messages and describes each peer by that peer's own messages. */
export async function createHonchoServer(options: { apiKey?: string } = {}) {
  const requests: HonchoRequest[] = [];
  const workspaces = new Map<string, Workspace>();
  /** Returned for the next requests instead of the correct response. */
  const faults: { status: number; body: string }[] = [];

  function answer(request: HonchoRequest): Answer {
    const refused = options.apiKey !== undefined && request.authorization !== `Bearer ${options.apiKey}`;
    return refused ? [401, { detail: 'Invalid JWT' }] : answerFor(workspaces, request);
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const received = {
      method: request.method ?? '',
      path: request.url ?? '',
      authorization: request.headers.authorization,
      body: text === '' ? {} : (JSON.parse(text) as JsonObject),
    };
    requests.push(received);
    const fault = faults.shift();
    const [status, value] = fault === undefined ? answer(received) : [fault.status, undefined];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(fault?.body ?? JSON.stringify(value));
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    workspaces,
    faults,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
