import type { ClientRequest } from 'node:http';
import type { Agent, AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Proxy } from './proxy.ts';

type Callback = (error: Error | null, socket?: Duplex) => void;
type ConnectionOptions = { host?: string; port?: number | string; tunnelSignal?: AbortSignal };
type CreateConnection = (options: object, callback: Callback) => Duplex | null | undefined;

/**
 * Makes the connections of an agent through a proxy tunnel. Node's own tunnels are not used: a request aborted while
 * the tunnel is being opened would wait for the proxy forever, and their errors contain the login.
 */
export async function useTunnel(agent: Agent, proxy: Proxy, ca: AgentOptions['ca']): Promise<Agent> {
  const { request } = proxy.url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const connectDirectly: CreateConnection = agent.createConnection.bind(agent);
  const createConnection: CreateConnection = (options, callback) => {
    const target = options as ConnectionOptions;
    const asked = request({ ...connectRequest(proxy, target), ca, signal: target.tunnelSignal });
    whenOpen(asked, (error, socket) => {
      if (socket === undefined) callback(error);
      else callback(null, connectDirectly({ ...options, socket }, () => {}) ?? undefined);
    });
    return undefined;
  };
  return Object.assign(agent, { createConnection });
}

/** The proxy receives only the host, the port and its own login. */
function connectRequest({ url }: Proxy, { host = '', port = 443 }: ConnectionOptions) {
  const path = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const login = `${decoded(url.username)}:${decoded(url.password)}`;
  const headers: Record<string, string> = { host: path };
  if (login !== ':') headers['proxy-authorization'] = `Basic ${Buffer.from(login).toString('base64')}`;
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  return { method: 'CONNECT', hostname, port: url.port || undefined, path, headers, agent: false } as const;
}

/** Passwords with an unencoded `%` cannot be decoded and are used as they are. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function whenOpen(asked: ClientRequest, done: Callback): void {
  asked.once('error', (error) => done(error));
  asked.once('connect', (response, socket, head) => {
    if (response.statusCode === 200) {
      if (head.length > 0) socket.unshift(head);
      done(null, socket);
      return;
    }
    socket.destroy();
    done(Object.assign(new Error('no tunnel'), { code: 'ERR_PROXY_TUNNEL', statusCode: response.statusCode }));
  });
  asked.end();
}
