import type { Agent } from 'node:http';
import type { Proxy } from '../../util/network/index.ts';
import { attachCredential } from './attach-credential.ts';
import { type Connector, sendRequest, type SendResult } from './send-request.ts';
import type { HttpRequest, HttpTransport, NetworkVariables, TlsOptions } from './http-types.ts';

/**
 * HTTP over `node:http(s)` with its own connections. The built-in fetch is not used because it always gives up after
 * 300 seconds without data, needs 19–29 MB more memory, and cannot tell a dead reused connection from a failed
 * request. Redirects are never followed: a model endpoint has no reason to send a key elsewhere. `variables`
 * determine the proxy and the certificates.
 */
export function createHttpTransport(variables: NetworkVariables = {}, tls?: TlsOptions): HttpTransport {
  const connectors = new Map<string, Promise<Connector>>();
  const connectorFor = (protocol: string, proxy: Proxy | undefined) => {
    const key = `${protocol} ${proxy?.url.href ?? ''}`;
    const known = connectors.get(key) ?? createConnector(protocol, proxy, { variables, ...(tls && { tls }) });
    connectors.set(key, known);
    // A failed attempt is not cached, so the next request tries again: a missing file, for example, may exist by
    // then.
    known.catch(() => connectors.delete(key));
    return known;
  };
  return {
    async send(request) {
      request.signal.throwIfAborted();
      const target = new URL(request.url);
      const proxy = await findProxy(target, variables);
      const { url, headers } = attachCredential(request, proxy?.host);
      const connector = await connectorFor(target.protocol, proxy);
      request.signal.throwIfAborted();
      const result = await sendWithRetry(connector, { ...request, url }, headers);
      request.signal.throwIfAborted();
      if (proxy !== undefined) return await checkProxyResult(result, target.host, proxy);
      if ('error' in result) throw result.error;
      return result.response;
    },
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

async function sendWithRetry(
  connector: Connector,
  request: HttpRequest,
  headers: Record<string, string>,
): Promise<SendResult> {
  const result = await sendRequest(connector, request, headers);
  if (!('error' in result) || !result.deadConnection) return result;
  // Other idle connections may be dead too, so the second attempt must open a new one.
  closeIdleConnections(connector.agent);
  return sendRequest(connector, request, headers);
}

/** Reports failures of the proxy as such, because the provider may be fine. */
async function checkProxyResult(result: SendResult, host: string, proxy: Proxy) {
  const { explainProxyError, findProxyRejection } = await import('./proxy-failure.ts');
  if ('error' in result) throw explainProxyError(result.error, host, proxy);
  const refusal = findProxyRejection(result.response, proxy);
  if (refusal === undefined) return result.response;
  await result.response.release(false);
  throw refusal;
}

/** Destroyed sockets are never reused, so the next request opens a new connection. */
function closeIdleConnections(agent: Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}

/**
 * The usual variables for additional certificates. Node itself reads the last one, but only from the process
 * environment.
 */
const CERTIFICATE_VARIABLES = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'];

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];

/** The proxy for a host. The proxy code is loaded only if a variable is set. */
async function findProxy(target: URL, variables: NetworkVariables): Promise<Proxy | undefined> {
  if (!PROXY_VARIABLES.some((name) => variables[name] || variables[name.toLowerCase()])) return undefined;
  const { proxyFor } = await import('./network-settings.ts');
  return proxyFor(target, variables);
}

/** Loads only the module that is needed: a local model needs no TLS. */
async function createConnector(
  protocol: string,
  proxy: Proxy | undefined,
  { variables, tls = {} }: { variables: NetworkVariables; tls?: TlsOptions },
): Promise<Connector> {
  const options = { keepAlive: true, scheduling: 'lifo' as const };
  if (protocol === 'http:') {
    // We have already decided which hosts use the proxy, so Node must not evaluate NO_PROXY again.
    const { Agent: HttpAgent, request } = await import('node:http');
    return {
      request,
      agent: new HttpAgent(proxy ? { ...options, proxyEnv: { HTTP_PROXY: proxy.url.href } } : options),
    };
  }
  const { Agent: HttpsAgent, request } = await import('node:https');
  const { authorities: more = [], ...own } = tls;
  const ca = await authorities(variables, more);
  const agent = new HttpsAgent({ ...options, ...own, ...(ca && { ca }) });
  if (proxy === undefined) return { request, agent };
  const { useTunnel } = await import('../../util/network/index.ts');
  return { request, agent: await useTunnel(agent, proxy, ca), tunnels: true };
}

async function authorities(variables: NetworkVariables, more: readonly string[]): Promise<string[] | undefined> {
  const names = CERTIFICATE_VARIABLES.filter((name) => variables[name]);
  if (names.length + more.length === 0) return undefined;
  const { trustedAuthorities } = await import('./network-settings.ts');
  return trustedAuthorities(names, variables, more);
}
