import { createHash, timingSafeEqual } from 'node:crypto';

/** Who sent a request. `isGuessable`: the key is short enough that an attacker could find it by trying. */
export type Caller = { name: string; isGuessable?: boolean };

/** Recognises callers by what they send with a request. */
export interface Authenticator {
  /** Undefined if the request does not prove who sent it. */
  authenticate(header: (name: string) => string | undefined): Caller | undefined;
  /** The value of `WWW-Authenticate` in a refusal. */
  readonly challenge: string | undefined;
}

/** A key and the name of its owner. Stored keys are known only by their SHA-256 hash, in hexadecimal. */
export type ApiKey = { name: string; isGuessable?: boolean } & ({ secret: string } | { hash: string });

/** A key of this length has 128 bits even if it consists of hexadecimal digits only. */
export const MIN_STRONG_KEY = 32;

/**
 * Accepts requests with one of the keys, in `Authorization: Bearer KEY` or, if a header is given, as its whole value.
 * The time that a comparison takes depends neither on the value that was sent nor on which key it equals.
 */
export function createKeyAuthenticator(keys: readonly ApiKey[], header?: string): Authenticator {
  const known = keys.map((key) => ({
    caller: { name: key.name, isGuessable: key.isGuessable ?? ('secret' in key && key.secret.length < MIN_STRONG_KEY) },
    hash: 'hash' in key ? Buffer.from(key.hash, 'hex') : hashOf(key.secret),
  }));
  if (known.some(({ hash }) => hash.length !== HASH_BYTES)) throw new Error('the hash of a key is not a SHA-256 hash');
  if (keys.some((key) => 'secret' in key && key.secret === '')) throw new Error('a key must not be empty');
  return {
    challenge: header === undefined ? 'Bearer' : undefined,
    authenticate(read) {
      const sent = header === undefined ? readBearer(read('authorization')) : read(header);
      const hash = hashOf(sent ?? '');
      let found: Caller | undefined;
      for (const key of known) if (timingSafeEqual(hash, key.hash)) found = key.caller;
      return sent === undefined ? undefined : found;
    },
  };
}

/** What a client reads whose key is wrong, or was revoked. */
export const INVALID_KEY = 'The key in the request is not valid.';

const HASH_BYTES = 32;

/** Hashes have the same length, which `timingSafeEqual` requires, whatever was sent. */
function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The key in the value of an `Authorization` header. */
export function readBearer(value: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(value ?? '')?.[1];
}
