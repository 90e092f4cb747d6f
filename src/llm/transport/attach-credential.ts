import { ModelError } from '../../base/index.ts';
import type { Credential } from '../../contracts/index.ts';
import { classifyFailure } from '../failure/classify-failure.ts';
import type { HttpRequest } from './http-types.ts';

/**
 * The only code that adds a secret to a request. The secret is sent only to its own hosts, so that a changed base URL
 * cannot send the key of one provider to another.
 */
export function attachCredential(request: HttpRequest, proxyHost?: string): Record<string, string> {
  const { credential, headers } = request;
  const { host, protocol, username, password } = new URL(request.url);
  // Node would send the user name and password as a login, without our host check.
  if (username !== '' || password !== '') {
    throw refusal(`The URL for ${host} contains a user name or password.`, 'Set the key as api_key instead.');
  }
  if (credential === undefined) return { ...headers };
  if (!credential.hosts.some((allowed) => allowed.toLowerCase() === host)) {
    const belongs = credential.hosts.join(', ') || 'no host';
    throw refusal(
      `The credential is for ${belongs} and was not sent to ${host}.`,
      'Check the base URL, or set a key for that host.',
    );
  }
  // A proxy can read unencrypted requests.
  if (proxyHost !== undefined && protocol === 'http:') {
    throw refusal(
      `The credential for ${host} was not sent: the proxy ${proxyHost} would receive it unencrypted.`,
      `Use an https URL, or add ${host} to NO_PROXY.`,
    );
  }
  checkCharacters(credential, host);
  const sent = joinHeaders(headers, credential.headers ?? {});
  const scheme = credential.scheme ?? request.authHeader;
  if (scheme === 'x-api-key') return { ...sent, 'x-api-key': credential.secret };
  return { ...sent, authorization: `Bearer ${credential.secret}` };
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
  return new ModelError(classifyFailure({ kind: 'auth', message }), { hint });
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
