import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Login } from '../../src/providers/oauth/login-table.ts';

export type OAuthRequest = { path: string; headers: IncomingMessage['headers']; fields: Record<string, string> };

type Answer = { status?: number; body: object | string; type?: string };

/** An OAuth server on loopback with rotating refresh tokens. Tests set its lifetimes. */
export type OAuthServer = AsyncDisposable & {
  readonly url: string;
  readonly requests: readonly OAuthRequest[];
  /** Answers to polls before the device is authorized. */
  readonly polls: Answer[];
  /** Answers to the next requests of any kind. */
  readonly faults: Answer[];
  /** The valid refresh tokens. */
  readonly refreshTokens: Set<string>;
  /** The issued access tokens, oldest first. */
  readonly accessTokens: readonly string[];
  /** The lifetime of tokens in seconds. */
  lifetime: number | undefined;
  /** Additional fields of the token response. */
  extra: object;
  /** The response of the device endpoint. */
  device: object;
  exchange: Answer | undefined;
  /** Delays the response to refreshes. */
  beforeRefresh: () => Promise<unknown>;
  login(changes?: Partial<Login>): Login;
  count(path: string): number;
  close(): Promise<void>;
};

export const pending: Answer = { status: 400, body: { error: 'authorization_pending' } };
export const slowDown: Answer = { status: 400, body: { error: 'slow_down' } };

export async function createOAuthServer(): Promise<OAuthServer> {
  const requests: OAuthRequest[] = [];
  const codes = new Map<string, string>();
  const accessTokens: string[] = [];
  const http = createServer((incoming, response) => void handle(incoming, response));

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
    const fields = readFields(await text(incoming), searchParams);
    requests.push({ path: pathname, headers: incoming.headers, fields });
    if (pathname === '/authorize') return authorize(fields, response);
    const {
      status = 200,
      body,
      type = 'application/json',
    } = server.faults.shift() ?? (await answerTo(pathname, fields));
    response.writeHead(status, { 'content-type': type }).end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  function authorize(fields: Record<string, string>, response: ServerResponse): void {
    const code = `code-${randomBytes(4).toString('hex')}`;
    codes.set(code, fields['code_challenge'] ?? '');
    const back = new URL(fields['redirect_uri'] ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', fields['state'] ?? '');
    response.writeHead(302, { location: back.href }).end();
  }

  async function answerTo(path: string, fields: Record<string, string>): Promise<Answer> {
    if (path === '/device') return { body: { ...server.device, verification_uri: `${server.url}/activate` } };
    if (path === '/exchange') return server.exchange ?? { status: 401, body: { message: 'Bad credentials' } };
    if (path !== '/token') return { status: 404, body: {} };
    switch (fields['grant_type']) {
      case 'authorization_code':
        return redeem(fields);
      case 'refresh_token':
        await server.beforeRefresh();
        return refresh(fields);
      default:
        return server.polls.shift() ?? issue();
    }
  }

  function redeem({ code = '', code_verifier: verifier = '' }: Record<string, string>): Answer {
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const isRight = codes.get(code) === challenge;
    codes.delete(code);
    return isRight ? issue() : { status: 400, body: { error: 'invalid_grant' } };
  }

  /** Each refresh token works once. */
  function refresh({ refresh_token: token = '' }: Record<string, string>): Answer {
    if (server.refreshTokens.delete(token)) return issue();
    return { status: 400, body: { error: 'invalid_grant', error_description: `${token} is not known here` } };
  }

  function issue(): Answer {
    const number = accessTokens.length + 1;
    accessTokens.push(`access-token-${number}`);
    server.refreshTokens.add(`refresh-token-${number}`);
    const tokens = { access_token: `access-token-${number}`, refresh_token: `refresh-token-${number}` };
    return { body: { ...tokens, token_type: 'bearer', expires_in: server.lifetime, ...server.extra } };
  }

  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      http.close(() => resolve());
      http.closeAllConnections();
    });
  const server: OAuthServer = {
    url,
    requests,
    polls: [],
    faults: [],
    refreshTokens: new Set(),
    accessTokens,
    lifetime: 3600,
    extra: {},
    device: { device_code: 'device-code-1', user_code: 'ABCD-EFGH', expires_in: 900, interval: 5 },
    exchange: undefined,
    beforeRefresh: async () => undefined,
    login: (changes = {}) => ({
      provider: 'lab',
      name: 'Lab',
      flow: 'device',
      clientId: 'client-1',
      scope: 'models',
      deviceUrl: `${url}/device`,
      authorizeUrl: `${url}/authorize`,
      tokenUrl: `${url}/token`,
      ...changes,
    }),
    count: (path) => requests.filter((request) => request.path === path).length,
    close,
    [Symbol.asyncDispose]: close,
  };
  return server;
}

function readFields(body: string, query: URLSearchParams): Record<string, string> {
  if (body.startsWith('{')) return JSON.parse(body) as Record<string, string>;
  return Object.fromEntries(body === '' ? query : new URLSearchParams(body));
}
