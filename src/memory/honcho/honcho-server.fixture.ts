import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject, JsonValue } from '../../base/index.ts';

export type HonchoRequest = { method: string; path: string; authorization: string | undefined; body: JsonObject };

/** A small Honcho: keeps what it is told, and knows of a peer what that peer said. */
export async function createHonchoServer(options: { apiKey?: string } = {}) {
  const requests: HonchoRequest[] = [];
  const workspaces = new Map<string, { peers: Set<string>; sessions: Map<string, JsonObject[]>; card: string[] }>();
  /** Answers the next request instead of what would be right. */
  const faults: { status: number; body: string }[] = [];

  function answer({ method, path, authorization, body }: HonchoRequest): [status: number, value: JsonValue] {
    if (options.apiKey !== undefined && authorization !== `Bearer ${options.apiKey}`) {
      return [401, { detail: 'Invalid JWT' }];
    }
    const url = new URL(path, 'http://honcho');
    const [version, root, id = '', kind, name = '', action] = url.pathname.slice(1).split('/');
    if (version !== 'v3' || root !== 'workspaces') return [404, { detail: 'Not Found' }];
    if (id === '') {
      const workspace = String(body['id']);
      if (!workspaces.has(workspace)) {
        workspaces.set(workspace, { peers: new Set(), sessions: new Map(), card: [] });
      }
      return [201, { id: workspace }];
    }
    const workspace = workspaces.get(id);
    if (workspace === undefined) return [404, { detail: `Workspace ${id} not found` }];
    if (kind === 'peers' && name === '') {
      workspace.peers.add(String(body['id']));
      return [201, { id: String(body['id']) }];
    }
    if (kind === 'sessions' && name === '') {
      workspace.sessions.set(String(body['id']), workspace.sessions.get(String(body['id'])) ?? []);
      return [201, { id: String(body['id']) }];
    }
    if (kind === 'sessions' && action === 'messages' && method === 'POST') {
      const messages = workspace.sessions.get(name);
      if (messages === undefined) return [404, { detail: 'Session not found' }];
      messages.push(...(body['messages'] as JsonObject[]));
      return [201, []];
    }
    const said = [...workspace.sessions.values()].flat().filter((message) => message['peer_id'] === name);
    const lines = said.map((message) => String(message['content']));
    if (kind !== 'peers') return [404, { detail: 'Not Found' }];
    if (action === 'card') return [200, { peer_card: workspace.card }];
    if (action === 'chat') return [200, { content: `You asked: ${String(body['query'])}. ${lines.join(' ')}` }];
    if (action !== 'context') return [404, { detail: 'Not Found' }];
    const words = (url.searchParams.get('search_query') ?? '').toLowerCase().split(/\W+/);
    const known = lines.filter((line) => words.some((word) => word !== '' && line.toLowerCase().includes(word)));
    return [200, { peer_id: name, target_id: name, representation: known.join('\n'), peer_card: workspace.card }];
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
    ...{ requests, workspaces, faults },
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
