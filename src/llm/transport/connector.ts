import type { Connector } from './exchange.ts';
import type { NetworkVariables, TlsChoices } from './http-types.ts';
import type { Proxy } from './proxy.ts';

/** What people set to have more certificates trusted; the last one is Node's own, which it reads only from its environment. */
const CERTIFICATE_VARIABLES = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'];

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];

/** The way to a host. Nothing about proxies is loaded where no variable names one. */
export async function findProxy(target: URL, variables: NetworkVariables): Promise<Proxy | undefined> {
  if (!PROXY_VARIABLES.some((name) => variables[name] || variables[name.toLowerCase()])) return undefined;
  const { proxyFor } = await import('./proxy.ts');
  return proxyFor(target, variables);
}

/** Loads only the module that is needed: a local model must not pay for TLS. */
export async function createConnector(
  protocol: string,
  proxy: Proxy | undefined,
  { variables, tls = {} }: { variables: NetworkVariables; tls?: TlsChoices },
): Promise<Connector> {
  const options = { keepAlive: true, scheduling: 'lifo' as const };
  if (protocol === 'http:') {
    // Which hosts go through it was decided before, so that Node's own reading of the variables does not count.
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
  const { throughTunnel } = await import('./tunnel.ts');
  return { request, agent: await throughTunnel(agent, proxy, ca), tunnels: true };
}

async function authorities(variables: NetworkVariables, more: readonly string[]): Promise<string[] | undefined> {
  const names = CERTIFICATE_VARIABLES.filter((name) => variables[name]);
  if (names.length + more.length === 0) return undefined;
  const { trustedAuthorities } = await import('./certificates.ts');
  return trustedAuthorities(names, variables, more);
}
