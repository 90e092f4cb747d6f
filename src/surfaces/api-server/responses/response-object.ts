import { type JsonObject, type RunResult, totalTokens, type Usage } from '../../../base/index.ts';
import type { ResponseStatus, StoredResponse } from '../../../contracts/index.ts';
import { errorOfResult } from '../turns/turn-errors.ts';
import type { Item } from './items.ts';

/** What is known about a response when it is sent to a client. */
export type ResponseState = Pick<StoredResponse, 'id' | 'conversationId' | 'status' | 'createdAt' | 'request'> &
  Partial<Pick<StoredResponse, 'endedAt' | 'result'>> & { output: readonly Item[] };

const PREFIX = 'resp_';
export const responseId = (name: string) => `${PREFIX}${name}`;
/** The part of the id that the ids of the items contain. */
export const nameOfResponse = (id: string) => id.slice(PREFIX.length);

const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

/** A response in the format of the API. */
export function responseObject(state: ResponseState): JsonObject {
  const { id, conversationId, status, createdAt, endedAt, request, result = {}, output } = state;
  return {
    id,
    object: 'response',
    created_at: seconds(createdAt),
    status,
    completed_at: status === 'completed' && endedAt !== undefined ? seconds(endedAt) : null,
    error: null,
    incomplete_details: null,
    output: [...output],
    ...(conversationId !== undefined && { conversation: { id: conversationId } }),
    service_tier: 'default',
    usage: null,
    ...request,
    ...withoutOwn(result),
  };
}

/** `result` also has what only this server needs. */
function withoutOwn({ order: _, answer: __, ...result }: JsonObject): JsonObject {
  return result;
}

/** How a turn ended, as the fields of a response. */
export type Outcome = { status: Exclude<ResponseStatus, 'queued' | 'in_progress'>; result: JsonObject };

/** `isCancelled`: the client no longer wants the response. */
export function outcomeOf(result: RunResult, isCancelled: boolean): Outcome {
  const usage = toUsage(result.usage);
  if (result.interrupted && isCancelled) return { status: 'cancelled', result: { usage } };
  const error = errorOfResult(result);
  if (error !== undefined)
    return { ...failure(error.status === 429 ? 'rate_limit_exceeded' : 'server_error', error.message, usage) };
  if (result.completed) return { status: 'completed', result: { usage } };
  const reason = result.exitReason === 'truncated' ? 'max_output_tokens' : result.exitReason;
  const details = { reason, ...(result.error !== undefined && { message: result.error.message }) };
  return { status: 'incomplete', result: { usage, incomplete_details: details } };
}

export function failure(code: string, message: string, usage: JsonObject | null = null): Outcome {
  return { status: 'failed', result: { error: { code, message }, usage } };
}

/** The tokens of a turn, as OpenAI reports them: the input includes what came from a cache. */
export function toUsage(usage: Usage): JsonObject {
  const { input, cacheRead, cacheWrite, output, reasoning } = usage;
  return {
    input_tokens: input + cacheRead + cacheWrite,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: totalTokens(usage),
  };
}

/** The order in which a stream announced the items, if it is not the order in which they are stored. */
export function orderOf(result: JsonObject): string[] | undefined {
  const { order } = result;
  return Array.isArray(order) ? order.filter((id) => typeof id === 'string') : undefined;
}

/** The JSON of an answer whose text is not only JSON. */
export function answerOf(result: JsonObject): string | undefined {
  return typeof result['answer'] === 'string' ? result['answer'] : undefined;
}

/** The type of the event that ends the stream of a response. A cancelled one is incomplete, too. */
export function finalEvent(status: ResponseStatus): string {
  if (status === 'completed' || status === 'failed') return `response.${status}`;
  return 'response.incomplete';
}
