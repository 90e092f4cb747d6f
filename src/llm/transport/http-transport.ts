import type { Agent } from 'node:http';
import { attachCredential } from './attach-credential.ts';
import { createConnector, findProxy } from './connector.ts';
import { type Connector, exchange, type Exchange } from './exchange.ts';
import type { HttpRequest, HttpTransport, NetworkVariables, TlsChoices } from './http-types.ts';
import type { Proxy } from './proxy.ts';

/**
 * HTTP over `node:http(s)` with connections of its own. Not the built-in fetch: that gives up after 300 silent seconds
 * whatever is set, needs 19–29 MB more, and cannot tell a dead kept connection from a failed request. Redirects are
 * never followed: a model endpoint has no reason to send a key elsewhere. `variables` say which proxy and which
 * certificates to use.
 */
export function createHttpTransport(variables: NetworkVariables = {}, tls?: TlsChoices): HttpTransport {
  const connectors = new Map<string, Promise<Connector>>();
  const connectorFor = (protocol: string, proxy: Proxy | undefined) => {
    const key = `${protocol} ${proxy?.url.href ?? ''}`;
    const known = connectors.get(key) ?? createConnector(protocol, proxy, { variables, ...(tls && { tls }) });
    connectors.set(key, known);
    // What could not be made, because a file was missing, is tried anew the next time.
    known.catch(() => connectors.delete(key));
    return known;
  };
  return {
    async send(request) {
      request.signal.throwIfAborted();
      const target = new URL(request.url);
      const proxy = await findProxy(target, variables);
      const headers = attachCredential(request, proxy?.host);
      const connector = await connectorFor(target.protocol, proxy);
      request.signal.throwIfAborted();
      const result = await exchangeAlive(connector, request, headers);
      request.signal.throwIfAborted();
      if (proxy !== undefined) return await throughProxy(result, target.host, proxy);
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

async function exchangeAlive(
  connector: Connector,
  request: HttpRequest,
  headers: Record<string, string>,
): Promise<Exchange> {
  const result = await exchange(connector, request, headers);
  if (!('error' in result) || !result.deadConnection) return result;
  // Whatever else is kept may be dead as well: the second try must have a connection of its own.
  dropKeptConnections(connector.agent);
  return exchange(connector, request, headers);
}

/** A failure on the way through a proxy is told as one: the provider may be well and the proxy not. */
async function throughProxy(result: Exchange, host: string, proxy: Proxy) {
  const { explainProxyError, refusedByProxy } = await import('./proxy-failure.ts');
  if ('error' in result) throw explainProxyError(result.error, host, proxy);
  const refusal = refusedByProxy(result.response, proxy);
  if (refusal === undefined) return result.response;
  await result.response.release(false);
  throw refusal;
}

/** A destroyed connection is never handed out again, so the next request opens its own. */
function dropKeptConnections(agent: Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}
