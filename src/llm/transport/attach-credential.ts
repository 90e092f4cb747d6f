import { ModelError } from '../../base/index.ts';
import type { Credential } from '../../contracts/index.ts';
import { failureOfKind } from '../failure/kind-hints.ts';
import type { HttpRequest } from './http-types.ts';

/**
 * The only code that adds a secret to a request. The secret is sent only to its own hosts, so that a changed base URL
 * cannot send the key of one provider to another.
 */
export function attachCredential(request: HttpRequest, proxyHost?: string): AttachedRequest {
  const { bound } = request;
  const target = new URL(request.url);
  const { host, username, password } = target;
  // Node would send the user name and password as a login, without our host check.
  if (username !== '' || password !== '') {
    throw refusal(`The URL for ${host} contains a user name or password.`, 'Set the key as api_key instead.');
  }
  if (bound === undefined) return { url: request.url, headers: withCredential(request, target, proxyHost) };
  checkTarget('The configured headers', bound.hosts, target, proxyHost);
  for (const [name, value] of Object.entries(bound.query ?? {})) target.searchParams.set(name, value);
  const headers = withCredential({ ...request, url: target.href }, target, proxyHost);
  return { url: target.href, headers: joinHeaders(headers, bound.headers ?? {}) };
}

/** The URL and the headers as they are sent. */
type AttachedRequest = { url: string; headers: Record<string, string> };

function withCredential(request: HttpRequest, target: URL, proxyHost: string | undefined): Record<string, string> {
  const { credential, headers } = request;
  if (credential === undefined) return { ...headers };
  checkTarget('The credential', credential.hosts, target, proxyHost);
  checkCharacters(credential, target.host);
  const sent = joinHeaders(headers, credential.headers ?? {});
  if (credential.sign !== undefined) return { ...sent, ...credential.sign({ ...request, headers: sent }) };
  const scheme = credential.scheme ?? request.authHeader;
  return scheme === 'bearer'
    ? { ...sent, authorization: `Bearer ${credential.secret}` }
    : { ...sent, [scheme]: credential.secret };
}

/** Throws unless the target is one of the hosts, and nobody on the way can read what is sent. */
function checkTarget(what: string, hosts: readonly string[], { host, protocol }: URL, proxyHost?: string): void {
  const isMany = what.endsWith('s');
  const verb = isMany ? 'were' : 'was';
  if (!hosts.some((allowed) => allowed.toLowerCase() === host)) {
    const belongs = hosts.join(', ') || 'no host';
    throw refusal(
      `${what} ${isMany ? 'are' : 'is'} for ${belongs} and ${verb} not sent to ${host}.`,
      'Check the base URL, or set a key for that host.',
    );
  }
  // A proxy can read unencrypted requests.
  if (proxyHost !== undefined && protocol === 'http:') {
    throw refusal(
      `${what} for ${host} ${verb} not sent: the proxy ${proxyHost} would receive ${isMany ? 'them' : 'it'} unencrypted.`,
      `Use an https URL, or add ${host} to NO_PROXY.`,
    );
  }
}

/** Rejects characters that are not allowed in a header. Node's own error would name only the header. */
function checkCharacters({ secret, headers }: Credential, host: string): void {
  const values = Object.values(headers ?? {});
  if (/^[\x20-\x7e]+$/.test(secret) && values.every((value) => /^[\x20-\x7e]*$/.test(value))) return;
  throw refusal(
    `The credential for ${host} contains invalid characters, such as a line break.`,
    'Copy the key again and set it without quotes or line breaks.',
  );
}

function refusal(message: string, hint: string): ModelError {
  return new ModelError(failureOfKind('auth', message), { hint });
}

type Headers = Readonly<Record<string, string>>;

/** `anthropic-beta` is a list and its values are joined; for all other headers the later value wins. */
export function joinHeaders(first: Headers, later: Headers): Record<string, string> {
  const joined = { ...first };
  for (const [name, value] of Object.entries(later)) {
    const before = name === 'anthropic-beta' ? joined[name] : undefined;
    joined[name] = before === undefined ? value : `${before},${value}`;
  }
  return joined;
}
