import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Message = { id?: number; method?: string; params?: Record<string, unknown> };

/** A remote MCP server that requires a login, together with its authorization server. */
export type McpLoginServer = {
  readonly url: string;
  /** All requests, as method and path. */
  readonly requests: readonly string[];
  /** The valid access tokens. */
  readonly accessTokens: Set<string>;
  readonly refreshTokens: Set<string>;
  /** Whether the user denies the login. */
  refuses: boolean;
  /** Whether clients may register. */
  registers: boolean;
  /** The known session ids; clear them to simulate lost sessions. */
  readonly sessions: Set<string>;
  close(): Promise<void>;
};

const SCHEMA = { type: 'object', properties: {} };

export async function startMcpLoginServer(): Promise<McpLoginServer> {
  const requests: string[] = [];
  const codes = new Map<string, string>();
  const http = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const server: McpLoginServer = {
    url: `${base}/mcp`,
    requests,
    accessTokens: new Set(),
    refreshTokens: new Set(),
    refuses: false,
    registers: true,
    sessions: new Set(),
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', base);
    requests.push(`${request.method} ${pathname}`);
    const body = await text(request);
    const json = (status: number, value: object, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      return void json(200, { resource: server.url, authorization_servers: [base] });
    if (pathname.startsWith('/.well-known/oauth-authorization-server')) return void json(200, describeServer());
    if (pathname === '/register') {
      if (!server.registers) return void json(403, { error: 'access_denied' });
      return void json(201, { ...(JSON.parse(body) as object), client_id: 'client-1' });
    }
    if (pathname === '/authorize') return authorize(searchParams, response);
    if (pathname === '/token') return void json(...token(new URLSearchParams(body)));
    if (pathname === '/mcp') return answer(request, response, body);
    response.writeHead(404).end();
  }

  function describeServer(): object {
    return {
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      ...(server.registers && { registration_endpoint: `${base}/register` }),
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  function authorize(asked: URLSearchParams, response: ServerResponse): void {
    const target = new URL(asked.get('redirect_uri') ?? '');
    target.searchParams.set('state', asked.get('state') ?? '');
    target.searchParams.set('iss', base);
    const code = randomBytes(6).toString('hex');
    codes.set(code, asked.get('code_challenge') ?? '');
    if (server.refuses) target.searchParams.set('error', 'access_denied');
    else target.searchParams.set('code', code);
    response.writeHead(302, { location: target.href }).end();
  }

  function token(fields: URLSearchParams): [number, object] {
    const refresh = fields.get('refresh_token') ?? '';
    if (fields.get('grant_type') === 'refresh_token') {
      // Each refresh token works once, as with most servers.
      return server.refreshTokens.delete(refresh) ? [200, newTokens()] : [400, { error: 'invalid_grant' }];
    }
    const challenge = createHash('sha256')
      .update(fields.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood = codes.get(fields.get('code') ?? '') === challenge;
    return isGood ? [200, newTokens()] : [400, { error: 'invalid_grant' }];
  }

  function newTokens(): object {
    const [access, refresh] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')];
    server.accessTokens.add(access);
    server.refreshTokens.add(refresh);
    return { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 3600 };
  }

  function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const given = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if (!server.accessTokens.has(given)) {
      const where = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource"`;
      response.writeHead(401, { 'www-authenticate': where }).end();
      return;
    }
    if (request.method !== 'POST') return void response.writeHead(request.method === 'DELETE' ? 204 : 405).end();
    const { id, method, params } = JSON.parse(body) as Message;
    const session = request.headers['mcp-session-id'];
    if (method !== 'initialize' && !server.sessions.has(String(session))) return void response.writeHead(404).end();
    if (id === undefined) return void response.writeHead(202).end();
    const started = method === 'initialize' ? randomBytes(6).toString('hex') : undefined;
    if (started !== undefined) server.sessions.add(started);
    response.writeHead(200, { 'content-type': 'application/json', ...(started && { 'mcp-session-id': started }) });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) }));
  }

  return server;
}

function resultOf(method: string | undefined, params: Message['params']): object {
  if (method === 'initialize') {
    const serverInfo = { name: 'login', version: '1' };
    return { protocolVersion: params?.['protocolVersion'], capabilities: { tools: {} }, serverInfo };
  }
  if (method === 'tools/list') return { tools: [{ name: 'whoami', description: 'Who you are.', inputSchema: SCHEMA }] };
  return { content: [{ type: 'text', text: 'you are logged in' }] };
}
