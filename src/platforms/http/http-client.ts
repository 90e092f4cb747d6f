import type * as http from 'node:http';
import { type NetworkVariables, type Proxy, proxyFor, readProxy } from '../../util/network/index.ts';
import { explainConnectionError } from '../../util/index.ts';
import { exchange, type HttpExchange, HttpFailure, type HttpReply } from './exchange.ts';
import { type HttpStream, openStream, type StreamRequest } from './stream.ts';

export type HttpClientOptions = {
  /** The environment variables that configure proxy and certificates. */
  variables: NetworkVariables;
  /** The proxy of this platform, instead of the one that applies to all programs, and the setting it comes from. */
  proxy?: { setting: string; url: string };
};

/**
 * Sends requests of platforms that are plain HTTP. The transport of model calls is not used: it cannot upload bytes,
 * and does not report whether a failed request may have arrived, which decides whether a message is sent again.
 */
export interface HttpClient {
  /** Returns the response whatever its status. Throws `HttpFailure`. Redirects are not followed. */
  send(request: HttpExchange): Promise<HttpReply>;
  /** Returns a response whose lines are read while they arrive, whatever its status. Throws `HttpFailure`. */
  stream(request: StreamRequest): Promise<HttpStream>;
  /** The agent for a connection that is no exchange, such as a WebSocket. Throws `HttpFailure`. */
  agentFor(url: string): Promise<http.Agent>;
  /** Closes all connections. */
  close(): void;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const connectors = new Map<string, Promise<Connector>>();
  const connectorFor = (protocol: string, proxy: Proxy | undefined) => {
    const key = `${protocol} ${proxy?.url.href ?? ''}`;
    const known = connectors.get(key) ?? createConnector(protocol, proxy, options.variables);
    connectors.set(key, known);
    known.catch(() => connectors.delete(key));
    return known;
  };
  const find = async (target: URL) => {
    const proxy = findProxy(target, options);
    // The URL of a bot can contain its token.
    if (proxy !== undefined && target.protocol === 'http:') throw unencrypted(target, proxy);
    return { proxy, connector: await connectorFor(target.protocol, proxy) };
  };
  const connect = async <Result>(url: string, use: (connector: Connector) => Promise<Result>): Promise<Result> => {
    const target = new URL(url);
    const { proxy, connector } = await find(target);
    try {
      return await use(connector);
    } catch (error) {
      throw error instanceof HttpFailure ? nameServer(error, target, proxy) : error;
    }
  };
  return {
    async agentFor(url) {
      const { connector } = await find(new URL(url.replace(/^ws/, 'http')));
      return connector.agent;
    },
    send: (request) => connect(request.url, (connector) => exchange(connector, request)),
    stream: (request) => connect(request.url, (connector) => openStream(connector, request)),
    close() {
      for (const connector of connectors.values())
        connector.then(
          ({ agent }) => agent.destroy(),
          () => {},
        );
      connectors.clear();
    },
  };
}

function findProxy(target: URL, { proxy, variables }: HttpClientOptions): Proxy | undefined {
  return proxy === undefined ? proxyFor(target, variables) : readProxy(proxy.setting, proxy.url);
}

/** Adds who did not answer. Only hosts are named, because the path can contain a token. */
function nameServer({ message, mayHaveArrived }: HttpFailure, target: URL, proxy: Proxy | undefined): HttpFailure {
  const through = proxy === undefined ? '' : ` through the proxy ${proxy.host}`;
  const reason = explainConnectionError(message);
  return new HttpFailure(`${target.host}${through}: ${reason}`, {
    mayHaveArrived,
    ...(proxy && { hint: `Check ${proxy.variable}.` }),
  });
}

function unencrypted(target: URL, proxy: Proxy): HttpFailure {
  return new HttpFailure(`The proxy ${proxy.host} would receive the token for ${target.host} unencrypted.`, {
    mayHaveArrived: false,
    hint: `Use an https URL, or add ${target.host} to NO_PROXY.`,
  });
}

export type Connector = {
  request: typeof http.request;
  agent: http.Agent;
  /** Connections go through a proxy tunnel, which must be aborted together with the request. */
  tunnels?: true;
};

const CERTIFICATE_VARIABLES = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'];

/** Servers close idle connections. A request on a closed one would have an uncertain outcome. */
const IDLE_MS = 10_000;

async function createConnector(
  protocol: string,
  proxy: Proxy | undefined,
  variables: NetworkVariables,
): Promise<Connector> {
  const options = { keepAlive: true, timeout: IDLE_MS };
  if (protocol === 'http:') {
    const { Agent, request } = await import('node:http');
    return { request, agent: new Agent(options) };
  }
  const { Agent, request } = await import('node:https');
  const { trustedAuthorities, useTunnel } = await import('../../util/network/index.ts');
  const names = CERTIFICATE_VARIABLES.filter((name) => variables[name]);
  const ca = names.length === 0 ? undefined : await trustedAuthorities(names, variables);
  const agent = new Agent({ ...options, ...(ca && { ca }) });
  if (proxy === undefined) return { request, agent };
  return { request, agent: await useTunnel(agent, proxy, ca), tunnels: true };
}
