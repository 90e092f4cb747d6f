import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export type SignedRequest = {
  header(name: string): string | undefined;
  /** As it was received: a signature is valid for exact bytes. */
  body: Uint8Array;
};

/** How far the time of a signature may be from ours. */
export const MAX_SKEW_SECONDS = 300;

/**
 * Whether a request proves that its sender knows the secret. The first of these headers that the request has decides:
 * `X-Hub-Signature-256` of GitHub, `X-Gitlab-Token`, and for other senders `X-Webhook-Signature-V2`, which includes a
 * time, or `X-Webhook-Signature`.
 */
export function isSigned(request: SignedRequest, secret: string, now: number): boolean {
  if (secret === '') return false;
  const { header, body } = request;
  const github = header('x-hub-signature-256');
  if (github !== undefined) return isEqual(github, `sha256=${sign(secret, body)}`);
  const gitlab = header('x-gitlab-token');
  if (gitlab !== undefined) return isEqual(gitlab, secret);
  const timed = header('x-webhook-signature-v2');
  if (timed !== undefined) return isSignedAt(timed, header('x-webhook-timestamp') ?? '', { body, secret, now });
  const plain = header('x-webhook-signature');
  return plain !== undefined && isEqual(plain, sign(secret, body));
}

/** The signature with a time, if it is what proves who sent a request. */
export function timedSignature({ header }: Pick<SignedRequest, 'header'>): string | undefined {
  const decides = header('x-hub-signature-256') ?? header('x-gitlab-token');
  return decides === undefined ? header('x-webhook-signature-v2') : undefined;
}

type TimedBody = { body: Uint8Array; secret: string; now: number };

function isSignedAt(signature: string, time: string, { body, secret, now }: TimedBody): boolean {
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > MAX_SKEW_SECONDS) return false;
  return isEqual(signature, sign(secret, Buffer.concat([Buffer.from(`${time}.`), body])));
}

/** HMAC-SHA256 in hexadecimal. */
export function sign(secret: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Compares in constant time. Hashes have the same length, whatever was sent. */
function isEqual(given: string, expected: string): boolean {
  return timingSafeEqual(hash(given), hash(expected));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
