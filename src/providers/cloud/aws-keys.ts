import type { JsonObject } from '../../base/index.ts';
import { type CloudContext, type FreshToken, requiredText } from './cloud-context.ts';
import type { AwsKeys } from './sign-aws.ts';

/** Keys for signatures. `secret` is the secret access key. */
export type AwsToken = FreshToken & { keys: AwsKeys };

/** The keys in a response, under the names of that service. */
export function readKeys(
  context: CloudContext,
  body: JsonObject,
  [id, secret, token]: readonly [string, string, string],
  expiresAt: number | undefined,
): AwsToken {
  const session = body[token];
  const keys = {
    accessKeyId: requiredText(context, 'the response with AWS keys', body, id),
    secretAccessKey: requiredText(context, 'the response with AWS keys', body, secret),
    sessionToken: typeof session === 'string' && session !== '' ? session : undefined,
  };
  return toToken(keys, expiresAt);
}

export function toToken(keys: AwsKeys, expiresAt?: number): AwsToken {
  const headers = keys.sessionToken === undefined ? undefined : { 'x-amz-security-token': keys.sessionToken };
  return { secret: keys.secretAccessKey, keys, expiresAt, headers };
}
