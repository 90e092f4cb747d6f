import { ModelError } from '../../base/index.ts';
import { classifyFailure } from '../failure/classify-failure.ts';
import { CERTIFICATE_CODES } from '../failure/network-patterns.ts';
import { factsOfNetworkError, adviceFor } from '../failure/failure-advice.ts';
import type { HttpResponse } from './http-types.ts';
import type { Proxy } from '../../util/network/index.ts';

const LOGIN_NEEDED = 407;

/** Converts an error of a proxied connection into one that names the proxy, without its login. */
export function explainProxyError(error: unknown, host: string, proxy: Proxy): unknown {
  if (error instanceof ModelError) return error;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (code === 'ERR_PROXY_TUNNEL') {
    const status = typeof statusCode === 'number' ? statusCode : undefined;
    return status === LOGIN_NEEDED ? loginFailure(proxy) : tunnelFailure(host, proxy, status);
  }
  const facts = factsOfNetworkError(error, `${host} through the proxy ${proxy.host}`);
  const failure = classifyFailure(facts, [proxy.url.password]);
  // A proxy that inspects TLS presents its own certificate. In that case the proxy works, but its certificate
  // authority is not trusted.
  const isCertificate = Object.hasOwn(CERTIFICATE_CODES, failure.code?.toLowerCase() ?? '');
  return new ModelError(failure, { hint: (isCertificate && adviceFor(failure)) || checkHint(host, proxy) });
}

/** Detects that the proxy rejected its login: without a tunnel, the proxy itself sends the response. */
export function findProxyRejection(response: HttpResponse, proxy: Proxy): ModelError | undefined {
  return response.status === LOGIN_NEEDED ? loginFailure(proxy) : undefined;
}

function loginFailure(proxy: Proxy): ModelError {
  const { url, host, variable } = proxy;
  const message =
    url.username === ''
      ? `The proxy ${host} requires a login (HTTP 407).`
      : `The proxy ${host} rejected the login (HTTP 407).`;
  return new ModelError(classifyFailure({ codes: ['PROXY_LOGIN'], message }), {
    hint: `Set the user name and password in ${variable}: ${url.protocol}//user:password@${host}. Encode characters such as @ and : as %40 and %3A.`,
  });
}

function tunnelFailure(host: string, proxy: Proxy, status: number | undefined): ModelError {
  const said = status === undefined ? '' : ` (HTTP ${status})`;
  const message = `The proxy ${proxy.host} did not open a connection to ${host}${said}.`;
  // A gateway error may be temporary, a refusal is not.
  const codes = [status !== undefined && status < 500 ? 'PROXY_REFUSED' : 'ERR_PROXY_TUNNEL'];
  return new ModelError(classifyFailure({ codes, message }), { hint: checkHint(host, proxy) });
}

function checkHint(host: string, proxy: Proxy): string {
  return `Check ${proxy.variable}. If ${host} is reachable without a proxy, add it to NO_PROXY.`;
}
