import { ModelError } from '../../base/index.ts';
import { classifyFailure } from '../failure/classify-failure.ts';
import { CERTIFICATE_CODES } from '../failure/network-patterns.ts';
import { factsOfNetworkError, nextStepOf } from '../failure/next-step.ts';
import type { HttpResponse } from './http-types.ts';
import type { Proxy } from './proxy.ts';

const LOGIN_NEEDED = 407;

/** What went wrong on the way through a proxy, in words that name the proxy and not the provider. Never its login. */
export function explainProxyError(error: unknown, host: string, proxy: Proxy): unknown {
  if (error instanceof ModelError) return error;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (code === 'ERR_PROXY_TUNNEL') {
    const status = typeof statusCode === 'number' ? statusCode : undefined;
    return status === LOGIN_NEEDED ? loginFailure(proxy) : tunnelFailure(host, proxy, status);
  }
  const facts = factsOfNetworkError(error, `${host} through the proxy ${proxy.host}`);
  const failure = classifyFailure(facts, [proxy.url.password]);
  // A proxy that looks into everything shows a certificate of its own: then the proxy is right and a file is missing.
  const isCertificate = Object.hasOwn(CERTIFICATE_CODES, failure.code?.toLowerCase() ?? '');
  return new ModelError(failure, { hint: (isCertificate && nextStepOf(failure)) || checkHint(host, proxy) });
}

/** Without a tunnel a proxy speaks for itself in the answer. */
export function refusedByProxy(response: HttpResponse, proxy: Proxy): ModelError | undefined {
  return response.status === LOGIN_NEEDED ? loginFailure(proxy) : undefined;
}

function loginFailure(proxy: Proxy): ModelError {
  const { url, host, variable } = proxy;
  const message =
    url.username === ''
      ? `The proxy ${host} wants a login (HTTP 407).`
      : `The proxy ${host} refuses the login it was given (HTTP 407).`;
  return new ModelError(classifyFailure({ codes: ['PROXY_LOGIN'], message }), {
    hint: `Write user name and password into ${variable}, as in ${url.protocol}//user:password@${host}; characters such as @ or : in them are written as %40 or %3A.`,
  });
}

function tunnelFailure(host: string, proxy: Proxy, status: number | undefined): ModelError {
  const said = status === undefined ? '' : ` (HTTP ${status})`;
  const message = `The proxy ${proxy.host} does not let us through to ${host}${said}.`;
  // A gateway fault may pass; a refusal does not.
  const codes = [status !== undefined && status < 500 ? 'PROXY_REFUSED' : 'ERR_PROXY_TUNNEL'];
  return new ModelError(classifyFailure({ codes, message }), { hint: checkHint(host, proxy) });
}

function checkHint(host: string, proxy: Proxy): string {
  return `Check ${proxy.variable}; if ${host} can be reached without a proxy, add it to NO_PROXY.`;
}
