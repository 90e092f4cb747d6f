import type { Agent } from 'node:http';
import { attachCredential } from './attach-credential.ts';
import { type Connector, exchange } from './exchange.ts';
import type { HttpTransport } from './http-types.ts';

/**
 * HTTP over `node:http(s)` with connections of its own. Not the built-in fetch: that gives up after 300 silent seconds
 * whatever is set, needs 19–29 MB more, and cannot tell a dead kept connection from a failed request. Redirects are
 * never followed: a model endpoint has no reason to send a key elsewhere.
 */
export function createHttpTransport(): HttpTransport {
  const connectors = new Map<string, Promise<Connector>>();
  const connectorFor = (protocol: string) => {
    const known = connectors.get(protocol) ?? createConnector(protocol);
    connectors.set(protocol, known);
    return known;
  };
  return {
    async send(request) {
      request.signal.throwIfAborted();
      const headers = attachCredential(request);
      const connector = await connectorFor(new URL(request.url).protocol);
      request.signal.throwIfAborted();
      let result = await exchange(connector, request, headers);
      if ('error' in result && result.deadConnection) {
        // Whatever else is kept may be dead as well: the second try must have a connection of its own.
        dropKeptConnections(connector.agent);
        result = await exchange(connector, request, headers);
      }
      if ('error' in result) throw result.error;
      return result.response;
    },
    close() {
      for (const connector of connectors.values()) void connector.then(({ agent }) => agent.destroy());
      connectors.clear();
    },
  };
}

/** Loads only the module that is needed: a local model must not pay for TLS. */
async function createConnector(protocol: string): Promise<Connector> {
  const options = { keepAlive: true, scheduling: 'lifo' as const };
  if (protocol === 'http:') {
    const { Agent: HttpAgent, request } = await import('node:http');
    return { request, agent: new HttpAgent(options) };
  }
  const { Agent: HttpsAgent, request } = await import('node:https');
  return { request, agent: new HttpsAgent(options) };
}

/** A destroyed connection is never handed out again, so the next request opens its own. */
function dropKeptConnections(agent: Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}
