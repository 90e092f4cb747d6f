import { ModelError } from '../../base/index.ts';
import type { Credential } from '../../contracts/index.ts';
import { classifyFailure } from '../failure/classify-failure.ts';
import type { HttpRequest } from './http-types.ts';

/**
 * The one place where a secret gets into a request. It goes only to the hosts it belongs to: a key that was set up for
 * one provider must not reach another because a base URL was changed.
 */
export function attachCredential(request: HttpRequest, proxyHost?: string): Record<string, string> {
  const { credential, headers } = request;
  const { host, protocol, username, password } = new URL(request.url);
  // Node would make a login of it, which nothing has checked.
  if (username !== '' || password !== '') {
    throw refusal(`The address at ${host} has a user name or password in it.`, 'Put the key into api_key instead.');
  }
  if (credential === undefined) return { ...headers };
  if (!credential.hosts.some((allowed) => allowed.toLowerCase() === host)) {
    const belongs = credential.hosts.join(', ') || 'no host at all';
    throw refusal(
      `The credential belongs to ${belongs} and is not sent to ${host}.`,
      'Check the base URL, or set a key for that host.',
    );
  }
  // Without encryption a proxy reads everything that goes through it.
  if (proxyHost !== undefined && protocol === 'http:') {
    throw refusal(
      `The credential for ${host} would go unencrypted through the proxy ${proxyHost}, and is not sent.`,
      `Use an https address, or add ${host} to NO_PROXY.`,
    );
  }
  checkCharacters(credential, host);
  const sent = joinHeaders(headers, credential.headers ?? {});
  const scheme = credential.scheme ?? request.authHeader;
  if (scheme === 'x-api-key') return { ...sent, 'x-api-key': credential.secret };
  return { ...sent, authorization: `Bearer ${credential.secret}` };
}

/** Node would refuse these with an error that names only the header. */
function checkCharacters({ secret, headers }: Credential, host: string): void {
  const values = Object.values(headers ?? {});
  if (/^[\x20-\x7e]+$/.test(secret) && values.every((value) => /^[\x20-\x7e]*$/.test(value))) return;
  throw refusal(
    `The credential for ${host} has characters that no key has, such as a line break.`,
    'Copy the key again and set it without quotes or line breaks.',
  );
}

function refusal(message: string, hint: string): ModelError {
  return new ModelError(classifyFailure({ kind: 'auth', message }), { hint });
}

type Headers = Readonly<Record<string, string>>;

/** A list such as `anthropic-beta` may come from several sides and is joined; of everything else the later one counts. */
export function joinHeaders(first: Headers, later: Headers): Record<string, string> {
  const joined = { ...first };
  for (const [name, value] of Object.entries(later)) {
    const before = name === 'anthropic-beta' ? joined[name] : undefined;
    joined[name] = before === undefined ? value : `${before},${value}`;
  }
  return joined;
}
