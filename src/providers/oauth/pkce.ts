import { createHash, randomBytes } from 'node:crypto';

/** Proves to the token endpoint that who asks is who began (RFC 7636, S256). */
export type Pkce = { verifier: string; challenge: string };

export function createPkce(): Pkce {
  const verifier = randomBytes(48).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}
