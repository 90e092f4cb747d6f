import { isIP } from 'node:net';
import { HttpError } from './http-error.ts';

export type OriginRules = {
  /**
   * Host names under which the server can be reached besides its own address, such as that of a reverse proxy. `*` is
   * any name, for a server whose routes all need a key.
   */
  hosts: readonly string[];
  /** Origins of pages of other hosts that may send requests, such as `https://chat.example`. */
  origins: readonly string[];
};

export type RequestOrigin = {
  /** All `Host` headers of the request. */
  hosts: readonly string[] | undefined;
  origin: string | undefined;
  /** The address to which the client connected. */
  localAddress: string | undefined;
};

/**
 * Refuses requests of pages that another host served. A page can make its own host name resolve to this machine (DNS
 * rebinding), so the `Host` header must be a name that belongs to the server. Returns the origin if it is a foreign one
 * that is allowed, which then needs CORS headers.
 */
export function checkOrigin(request: RequestOrigin, rules: OriginRules): string | undefined {
  const host = readHost(request.hosts);
  if (host === undefined) throw new HttpError(400, 'bad_host', 'The request needs exactly one valid Host header.');
  const isKnown = isLoopbackHost(host.name) || host.name === plainAddress(request.localAddress ?? '');
  if (!isKnown && !rules.hosts.some((name) => name === '*' || name.toLowerCase() === host.name))
    throw new HttpError(421, 'unknown_host', 'This server does not answer to that host name.');
  const { origin } = request;
  if (origin === undefined || isSameOrigin(origin, host.text)) return undefined;
  if (rules.origins.includes(origin)) return origin;
  throw new HttpError(403, 'foreign_origin', 'Requests of pages of other origins are not accepted.');
}

const HOST = /^(\[[\da-f:.]+\]|[a-z\d_.-]+)(?::\d{1,5})?$/i;

function readHost(hosts: readonly string[] | undefined): { text: string; name: string } | undefined {
  const [text = ''] = hosts ?? [];
  const [, name] = HOST.exec(text) ?? [];
  if (hosts?.length !== 1 || name === undefined) return undefined;
  return { text: text.toLowerCase(), name: name.replace(/^\[|\]$/g, '').toLowerCase() };
}

function isSameOrigin(origin: string, host: string): boolean {
  const lower = origin.toLowerCase();
  return lower === `http://${host}` || lower === `https://${host}`;
}

/** Whether a host name or an address is this machine for sure. */
export function isLoopbackHost(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** An IPv4 address without the prefix that it has on a socket of IPv6. */
export function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
}
