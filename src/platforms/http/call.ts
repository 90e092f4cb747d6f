import { isJsonObject, parseJson } from '../../base/index.ts';
import { ChannelError } from '../../contracts/index.ts';
import { type HttpExchange, type HttpReply, toNetworkError } from './exchange.ts';
import { faultOfStatus } from './fault-of-status.ts';
import type { HttpClient } from './http-client.ts';

/** What a call is, for its errors. */
export type CallFacts = {
  /** The platform and the call, such as `ntfy: publishing`. */
  what: string;
  /** Doing it twice is the same as doing it once, so that a failure is never `uncertain`. */
  isRepeatable: boolean;
  /** What to do if the platform refuses the credentials. */
  accessHint: string;
};

/** One call of a plain HTTP interface. Throws `ChannelError` unless the status is 200. */
export async function callHttp(client: HttpClient, request: HttpExchange, facts: CallFacts): Promise<HttpReply> {
  const reply = await client.send(request).catch((error: unknown) => {
    throw toNetworkError(facts.what, error, facts.isRepeatable);
  });
  if (reply.status !== 200) throw toStatusError(reply, facts);
  return reply;
}

/** The error of a response whose status says that the call failed. */
export function toStatusError(
  { status, headers, body }: Pick<HttpReply, 'status' | 'headers'> & { body?: Buffer },
  { what, isRepeatable, accessHint }: CallFacts,
): ChannelError {
  const answer = body === undefined ? undefined : parseJson(body.toString('utf8'));
  const error = isJsonObject(answer) ? answer['error'] : undefined;
  const reason = typeof error === 'string' ? error.slice(0, 200) : 'the server refused the request';
  const seconds = Number(headers['retry-after']);
  return new ChannelError(faultOfStatus(status, isRepeatable), `${what}: ${reason} (HTTP ${status}).`, {
    ...(seconds > 0 && { retryAfterMs: seconds * 1000 }),
    ...([401, 403].includes(status) && { hint: accessHint }),
  });
}
