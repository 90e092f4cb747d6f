import { ModelError } from '../../base/index.ts';
import { classifyFailure } from '../failure/classify-failure.ts';
import type { HttpRequest } from './http-types.ts';

/**
 * The one place where a secret gets into a request. It goes only to the hosts it belongs to: a key that was set up for
 * one provider must not reach another because a base URL was changed.
 */
export function attachCredential(request: HttpRequest): Record<string, string> {
  const { credential, headers } = request;
  if (credential === undefined) return { ...headers };
  const { host } = new URL(request.url);
  if (!credential.hosts.some((allowed) => allowed.toLowerCase() === host)) {
    const belongs = credential.hosts.join(', ') || 'no host at all';
    throw refusal(
      `The credential belongs to ${belongs} and is not sent to ${host}.`,
      'Check the base URL, or set a key for that host.',
    );
  }
  // Node would refuse these with an error that names only the header.
  if (!/^[\x20-\x7e]+$/.test(credential.secret)) {
    throw refusal(
      `The credential for ${host} has characters that no key has, such as a line break.`,
      'Copy the key again and set it without quotes or line breaks.',
    );
  }
  if (request.authHeader === 'x-api-key') return { ...headers, 'x-api-key': credential.secret };
  return { ...headers, authorization: `Bearer ${credential.secret}` };
}

function refusal(message: string, hint: string): ModelError {
  return new ModelError(classifyFailure({ kind: 'auth', message }), { hint });
}
