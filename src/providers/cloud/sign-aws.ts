import { createHash, createHmac } from 'node:crypto';
import type { SignableRequest } from '../../contracts/index.ts';

export type AwsKeys = {
  accessKeyId: string;
  secretAccessKey: string;
  /** Set for temporary keys. */
  sessionToken?: string;
};

export type AwsScope = { region: string; service: string };

/** The only headers that are signed besides those of the signature itself: proxies may change others. */
const SIGNED_HEADERS: readonly string[] = ['content-type'];
const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The headers of AWS Signature Version 4 for a request. The path is encoded twice, as all services but S3 expect. */
export function signAws(request: SignableRequest, keys: AwsKeys, scope: AwsScope, now: number): Record<string, string> {
  const { host, pathname, searchParams } = new URL(request.url);
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const date = time.slice(0, 8);
  const own: Record<string, string> = { 'x-amz-date': time };
  if (keys.sessionToken !== undefined) own['x-amz-security-token'] = keys.sessionToken;
  const given = Object.entries(request.headers).filter(([name]) => SIGNED_HEADERS.includes(name.toLowerCase()));
  const signed = [['host', host] as const, ...given, ...Object.entries(own)]
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.trim().replaceAll(/\s+/g, ' ')])
    .toSorted(([one], [other]) => compare(one, other));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    request.method,
    pathname.split('/').map(encode).join('/'),
    canonicalQuery(searchParams),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    hashOf(request.body),
  ].join('\n');
  const place = `${date}/${scope.region}/${scope.service}/aws4_request`;
  const text = [ALGORITHM, time, place, hashOf(canonical)].join('\n');
  const signature = hmac(signingKey(keys, date, scope), text).toString('hex');
  const credential = `Credential=${keys.accessKeyId}/${place}`;
  return { ...own, authorization: `${ALGORITHM} ${credential}, SignedHeaders=${names}, Signature=${signature}` };
}

function signingKey({ secretAccessKey }: AwsKeys, date: string, { region, service }: AwsScope): Buffer {
  return [region, service, 'aws4_request'].reduce(hmac, hmac(Buffer.from(`AWS4${secretAccessKey}`), date));
}

function canonicalQuery(parameters: URLSearchParams): string {
  const encoded = [...parameters].map(([name, value]): [string, string] => [encode(name), encode(value)]);
  return encoded
    .toSorted(([name, value], [other, otherValue]) => compare(name, other) || compare(value, otherValue))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** RFC 3986: everything but letters, digits and `-_.~` is encoded. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** By code points, regardless of the language of the user. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function hashOf(body: string | readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of typeof body === 'string' ? [body] : body) hash.update(part);
  return hash.digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
